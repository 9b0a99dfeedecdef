// A regular expression (RE2) that must match a whole kernel record.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace slipway::health {

// Compiled on first use: a policy has twenty of them, and most checks of a node find no record to
// compare with. Not thread-safe.
class RecordForm {
 public:
  RecordForm() = default;
  explicit RecordForm(std::string text) : text_(std::move(text)) {}

  const std::string& text() const { return text_; }
  // Why it is not a valid regular expression; empty if it is.
  std::string error() const;
  // Whether the whole record matches.
  bool matches(std::string_view record) const;

 private:
  const re2::RE2& compiled() const;

  std::string text_;
  mutable std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace slipway::health
