// Messages of the Language Server Protocol.
#include "launcher/editor/message_stream.h"

#include <fmt/core.h>
#include <poll.h>
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "common/error.h"

namespace slipway::editor {
namespace {

constexpr size_t header_limit = 4096;  // two short lines are usual
constexpr std::string_view end_of_header = "\r\n\r\n";

// The value of Content-Length. Names of header fields have no case.
std::optional<size_t> length_in(std::string_view header) {
  constexpr std::string_view name = "Content-Length:";
  while (!header.empty()) {
    const size_t end = std::min(header.find("\r\n"), header.size());
    std::string_view line = header.substr(0, end);
    header.remove_prefix(std::min(end + 2, header.size()));
    if (line.size() < name.size() || ::strncasecmp(line.data(), name.data(), name.size()) != 0) {
      continue;
    }
    line.remove_prefix(std::min(line.find_first_not_of(' ', name.size()), line.size()));
    size_t length = 0;
    const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), length);
    if (error != std::errc() || rest != line.data() + line.size()) return std::nullopt;
    return length;
  }
  return std::nullopt;
}

}  // namespace

// Reads some bytes. False at the end of the input.
bool MessageStream::fill() {
  std::array<char, 65536> bytes;
  for (;;) {
    const ssize_t n = ::read(in_, bytes.data(), bytes.size());
    if (n > 0) buffer_.append(bytes.data(), static_cast<size_t>(n));
    if (n >= 0) return n > 0;
    if (errno != EINTR) throw_errno("cannot read a message");
  }
}

std::optional<size_t> MessageStream::header() {
  for (;;) {
    const size_t end = buffer_.find(end_of_header);
    if (end <= header_limit) {
      const auto length = length_in(std::string_view(buffer_).substr(0, end));
      if (!length) throw Error("a message has no `Content-Length: BYTES`");
      buffer_.erase(0, end + end_of_header.size());
      return length;
    }
    if (buffer_.size() > header_limit) throw Error("the header of a message has no end");
    if (!fill()) return std::nullopt;
  }
}

std::optional<MessageStream::Message> MessageStream::read() {
  const auto length = header();
  if (!length) return std::nullopt;
  Message message;
  message.too_long = *length > limit_bytes;
  size_t left = *length;
  for (;;) {
    const size_t taken = std::min(left, buffer_.size());
    if (!message.too_long) message.text.append(buffer_, 0, taken);
    buffer_.erase(0, taken);
    left -= taken;
    if (left == 0) return message;
    if (!fill()) return std::nullopt;
  }
}

bool MessageStream::is_ready() const {
  if (!buffer_.empty()) return true;
  pollfd input{in_, POLLIN, 0};
  return ::poll(&input, 1, 0) > 0;
}

void MessageStream::write(std::string_view text) {
  const std::string message = fmt::format("Content-Length: {}\r\n\r\n{}", text.size(), text);
  for (std::string_view left = message; !left.empty();) {
    const ssize_t n = ::write(out_, left.data(), left.size());
    if (n >= 0) left.remove_prefix(static_cast<size_t>(n));
    if (n < 0 && errno != EINTR) throw_errno("cannot write a message");
  }
}

}  // namespace slipway::editor
