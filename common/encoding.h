// Encodes values as bytes, and decodes them without trusting the bytes.
//
// Encoder and Decoder have the same functions, so one list of a message's fields serves both.
// Numbers are eight bytes, big-endian; texts and lists begin with their length in four bytes. Every
// message has exactly one encoding: anything that can be decoded encodes to the same bytes.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "common/error.h"

namespace slipway {

// For the functions fields(), which list the fields of a message. Deduces constness: messages are
// encoded from a constant, and decoded into a variable.
template <class Message, class Kind>
concept Is = std::same_as<std::remove_const_t<Message>, Kind>;

class Encoder {
 public:
  std::string take() { return std::move(bytes_); }

  void number(std::integral auto value, int64_t least, int64_t most) {
    const auto wide = static_cast<int64_t>(value);
    if (wide < least || wide > most) throw Error(fmt::format("{} cannot be sent", wide));
    big_endian(static_cast<uint64_t>(wide), 8);
  }
  // A value of an enumeration, from 0 to `last`.
  template <class Choice>
  void choice(Choice value, Choice last) {
    number(static_cast<int64_t>(value), 0, static_cast<int64_t>(last));
  }
  void flag(bool value) { bytes_ += value ? '\1' : '\0'; }
  void real(double value) { big_endian(std::bit_cast<uint64_t>(value), 8); }

  // Text for people; cut at `longest`.
  void text(const std::string& value, size_t longest) {
    bytes(value.size() > longest ? value.substr(0, longest) : value, longest);
  }
  // Arbitrary bytes.
  void bytes(const std::string& value, size_t longest) {
    length(value.size(), longest);
    bytes_ += value;
  }
  // Text without zero bytes, for system calls.
  void word(const std::string& value, size_t longest) {
    if (value.find('\0') != value.npos) throw Error("a text with a zero byte cannot be sent");
    bytes(value, longest);
  }

  void list(const auto& values, size_t most, auto each) {
    length(values.size(), most);
    for (const auto& value : values) each(*this, value);
  }
  void variables(const std::map<std::string, std::string>& values, size_t most, size_t longest) {
    length(values.size(), most);
    for (const auto& [name, value] : values) {
      word(name, longest);
      word(value, longest);
    }
  }
  template <class Value>
  void optional(const std::optional<Value>& value, auto each) {
    flag(value.has_value());
    if (value) each(*this, *value);
  }
  template <class... Kinds>
  void one_of(const std::variant<Kinds...>& value) {
    bytes_ += static_cast<char>(value.index());
    std::visit([this](const auto& kind) { fields(*this, kind); }, value);
  }

 private:
  void big_endian(uint64_t value, int bytes) {
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
      bytes_ += static_cast<char>((value >> shift) & 0xff);
  }
  void length(size_t value, size_t most) {
    if (value > most) throw Error(fmt::format("{} items or bytes cannot be sent", value));
    big_endian(value, 4);
  }

  std::string bytes_;
};

// Every function throws Error on input that an Encoder would not have written.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : rest_(bytes) {}

  void finish() const {
    if (!rest_.empty()) throw Error(fmt::format("{} bytes too many", rest_.size()));
  }

  void number(std::integral auto& value, int64_t least, int64_t most) {
    const auto wide = static_cast<int64_t>(big_endian(8));
    if (wide < least || wide > most) {
      throw Error(fmt::format("{}, expected {} to {}", wide, least, most));
    }
    value = static_cast<std::remove_reference_t<decltype(value)>>(wide);
  }
  template <class Choice>
  void choice(Choice& value, Choice last) {
    int64_t number_of_choice = 0;
    number(number_of_choice, 0, static_cast<int64_t>(last));
    value = static_cast<Choice>(number_of_choice);
  }
  void flag(bool& value) {
    const uint64_t byte = big_endian(1);
    if (byte > 1) throw Error(fmt::format("{}, expected yes or no", byte));
    value = byte == 1;
  }
  void real(double& value) {
    value = std::bit_cast<double>(big_endian(8));
    if (!std::isfinite(value)) throw Error("a number that is not finite");
  }

  void text(std::string& value, size_t longest) { bytes(value, longest); }
  void bytes(std::string& value, size_t longest) { value = take(length(longest)); }
  void word(std::string& value, size_t longest) {
    bytes(value, longest);
    if (value.find('\0') != value.npos) throw Error("a text with a zero byte");
  }

  template <class Value>
  void list(std::vector<Value>& values, size_t most, auto each) {
    // Every item has at least one byte, so a forged length allocates nothing.
    for (size_t left = length(most); left > 0; --left) each(*this, values.emplace_back());
  }
  void variables(std::map<std::string, std::string>& values, size_t most, size_t longest) {
    for (size_t left = length(most); left > 0; --left) {
      std::string name, value;
      word(name, longest);
      word(value, longest);
      if (!values.empty() && values.rbegin()->first >= name) throw Error("names out of order");
      values.emplace_hint(values.end(), std::move(name), std::move(value));
    }
  }
  template <class Value>
  void optional(std::optional<Value>& value, auto each) {
    bool there = false;
    flag(there);
    if (there) each(*this, value.emplace());
  }
  template <class... Kinds>
  void one_of(std::variant<Kinds...>& value) {
    using Read = void (*)(Decoder&, std::variant<Kinds...>&);
    static constexpr Read reads[] = {[](Decoder& from, std::variant<Kinds...>& into) {
      fields(from, into.template emplace<Kinds>());
    }...};
    const uint64_t kind = big_endian(1);
    if (kind >= sizeof...(Kinds)) throw Error(fmt::format("unknown kind {}", kind));
    reads[kind](*this, value);
  }

 private:
  std::string_view take(size_t size) {
    if (size > rest_.size()) throw Error("it ends too early");
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  uint64_t big_endian(size_t bytes) {
    uint64_t value = 0;
    for (const char byte : take(bytes)) value = value << 8 | static_cast<uint8_t>(byte);
    return value;
  }
  size_t length(size_t most) {
    const uint64_t value = big_endian(4);
    if (value > most)
      throw Error(fmt::format("{} items or bytes, expected at most {}", value, most));
    return value;
  }

  std::string_view rest_;
};

// A std::variant of all messages of one direction.
template <class... Kinds>
std::string encode_message(const std::variant<Kinds...>& message) {
  Encoder encoder;
  encoder.one_of(message);
  return encoder.take();
}
template <class Message>
Message decode_message(std::string_view bytes) {
  Message message;
  Decoder decoder(bytes);
  decoder.one_of(message);
  decoder.finish();
  return message;
}

}  // namespace slipway
