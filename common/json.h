// Reads JSON from other programs, other machines or users. Every value is checked before use.
//
//   const json body = parse_json(text);
//   const JsonValue profile(body);
//   int64_t count = profile.at("gpus").at("count").whole(0, 64);
//   // throws Error("`gpus.count` is -1, expected a whole number from 0 to 64")
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

// Throws Error if the text is not JSON, or is nested deeper than any of our formats: copying such a
// value takes a stack frame per level.
nlohmann::json parse_json(std::string_view text);

// A value and its place. If the value does not have the requested type, it throws an Error with the
// place, the value, and what was expected. It refers to the json object, which must outlive it.
class JsonValue {
 public:
  explicit JsonValue(const nlohmann::json& value, std::string place = {})
      : value_(&value), place_(std::move(place)) {}

  // A member of an object.
  JsonValue at(std::string_view key) const;
  std::optional<JsonValue> find(std::string_view key) const;
  // The members of an object, sorted by key.
  std::vector<std::pair<std::string, JsonValue>> members() const;
  // The items of an array.
  std::vector<JsonValue> items() const;

  std::string text() const;
  std::vector<std::string> texts() const;
  bool boolean() const;
  const nlohmann::json& raw() const { return *value_; }
  bool is_null() const;
  int64_t whole(int64_t least, int64_t most) const;
  double number(double least, double most) const;

  // "`gpus.count` is -1, expected "
  [[noreturn]] void expected(std::string_view what) const;

 private:
  const nlohmann::json* value_;
  std::string place_;
};

}  // namespace slipway
