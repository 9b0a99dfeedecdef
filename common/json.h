// JSON that another program, another machine or a user has written. Every value is checked before
// it is used.
//
//   const json body = parse_json(text);
//   const JsonValue profile(body);
//   int64_t count = profile.at("gpus").at("count").whole(0, 64);
//   // throws Error("`gpus.count` is -1, expected a whole number from 0 to 64")
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

// Throws Error on what is not JSON, and on JSON that is nested deeper than anything of ours:
// copying such a value takes a stack frame for each level.
nlohmann::json parse_json(std::string_view text);

// A value and its place. Asked for what the value is not, it throws an Error that names the place,
// the value, and what was expected. It refers to the json, which has to live as long.
class JsonValue {
 public:
  explicit JsonValue(const nlohmann::json& value, std::string place = {})
      : value_(&value), place_(std::move(place)) {}

  // Of an object.
  JsonValue at(std::string_view key) const;
  std::optional<JsonValue> find(std::string_view key) const;
  // Of an object, by key.
  std::vector<std::pair<std::string, JsonValue>> members() const;
  // Of an array.
  std::vector<JsonValue> items() const;

  std::string text() const;
  std::vector<std::string> texts() const;
  bool boolean() const;
  const nlohmann::json& raw() const { return *value_; }
  bool is_null() const { return value_->is_null(); }
  int64_t whole(int64_t least, int64_t most) const;
  double number(double least, double most) const;

  // "`gpus.count` is -1, expected "
  [[noreturn]] void expected(std::string_view what) const;

 private:
  const nlohmann::json* value_;
  std::string place_;
};

}  // namespace slipway
