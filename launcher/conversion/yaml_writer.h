// Writes YAML for people: with comments, and in the order of the calls.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace slipway::conversion {

class YamlWriter {
 public:
  // "key: value", with the value in quotes if YAML would read it as another value.
  void pair(size_t indent, std::string_view key, std::string_view value);
  // The same without quotes: a number, a truth value, or a list in brackets.
  void plain(size_t indent, std::string_view key, std::string_view value);
  void line(size_t indent, std::string_view text);
  void comment(size_t indent, std::string_view text);
  // A text of several lines, unchanged.
  void block(size_t indent, std::string_view key, std::string_view text);
  void block_item(size_t indent, std::string_view text);  // the same in a list

  const std::string& text() const { return text_; }

 private:
  void block_after(size_t indent, std::string_view prefix, std::string_view text);

  std::string text_;
};

// Kubernetes and Vertex replace $(NAME) in arguments and variables; this keeps the text.
std::string unexpanded(std::string text);

}  // namespace slipway::conversion
