// Reads a message as a program would: bytes are a message that encodes to the same bytes, or an
// error.
#pragma once

#include <optional>
#include <string_view>

#include "common/error.h"
#include "tests/fuzz/check.h"

namespace slipway::fuzz {

template <class Message>
std::optional<Message> read(Message (*decode)(std::string_view), std::string_view bytes) {
  try {
    Message message = decode(bytes);
    require(encode(message) == bytes, "a decoded message must encode to the same bytes");
    return message;
  } catch (const Error&) {
    return std::nullopt;  // invalid, reported as an error
  }
}

}  // namespace slipway::fuzz
