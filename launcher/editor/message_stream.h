// Messages of the Language Server Protocol over two file descriptors: a header with the length, an
// empty line, and JSON.
// https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/#baseProtocol
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace slipway::editor {

class MessageStream {
 public:
  // The longest message: a text of max_input_bytes in JSON, in which a byte may take six.
  static constexpr size_t limit_bytes = 8 << 20;

  MessageStream(int in, int out) : in_(in), out_(out) {}

  struct Message {
    std::string text;
    bool too_long = false;  // it was skipped
  };

  // The next message; nothing at the end of the input. Throws Error for a broken header, after
  // which no message can be found, and when reading fails.
  std::optional<Message> read();

  // Whether read() would not wait for the beginning of a message.
  bool is_ready() const;

  // Throws Error when writing fails.
  void write(std::string_view text);

 private:
  bool fill();
  std::optional<size_t> header();

  int in_, out_;
  std::string buffer_;  // read, and not yet taken
};

}  // namespace slipway::editor
