// Reads JSON from untrusted sources.
#include "common/json.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/error.h"

namespace slipway {
namespace {

using nlohmann::json;

constexpr int deepest = 64;
constexpr size_t longest_shown = 60;

// How deeply brackets are nested, not counting those in strings.
int depth_of(std::string_view text) {
  int depth = 0, most = 0;
  bool in_text = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text) {
      if (c == '\\') ++i;
      in_text = c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      most = std::max(most, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return most;
}

std::string shown(const json& value) {
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  std::string text = value.dump(-1, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace);
  if (text.size() > longest_shown) text = text.substr(0, longest_shown) + "…";
  return text;
}

}  // namespace

json parse_json(std::string_view text) {
  if (depth_of(text) > deepest) {
    throw Error(fmt::format("its values are nested deeper than {} levels", deepest));
  }
  try {
    return json::parse(text);
  } catch (const json::exception& error) {
    throw Error(fmt::format("it is not JSON: {}", error.what()));
  }
}

bool JsonValue::is_null() const {
  return value_->is_null();
}

void JsonValue::expected(std::string_view what) const {
  throw Error(
      fmt::format("`{}` is {}, expected {}", place_.empty() ? "." : place_, shown(*value_), what));
}

std::optional<JsonValue> JsonValue::find(std::string_view key) const {
  if (!value_->is_object()) expected("an object");
  const auto found = value_->find(std::string(key));
  if (found == value_->end()) return std::nullopt;
  return JsonValue(*found, place_.empty() ? std::string(key) : fmt::format("{}.{}", place_, key));
}

JsonValue JsonValue::at(std::string_view key) const {
  if (const auto found = find(key)) return *found;
  throw Error(fmt::format("`{}{}{}` is missing", place_, place_.empty() ? "" : ".", key));
}

std::vector<std::pair<std::string, JsonValue>> JsonValue::members() const {
  if (!value_->is_object()) expected("an object");
  std::vector<std::pair<std::string, JsonValue>> members;
  for (const auto& [key, value] : value_->items()) {
    members.emplace_back(key, JsonValue(value, place_.empty() ? key : place_ + "." + key));
  }
  return members;
}

std::vector<JsonValue> JsonValue::items() const {
  if (!value_->is_array()) expected("a list");
  std::vector<JsonValue> items;
  for (const json& item : *value_) {
    items.emplace_back(item, fmt::format("{}[{}]", place_, items.size()));
  }
  return items;
}

std::string JsonValue::text() const {
  if (!value_->is_string()) expected("a text");
  return value_->get<std::string>();
}

std::vector<std::string> JsonValue::texts() const {
  std::vector<std::string> texts;
  for (const JsonValue& item : items()) texts.push_back(item.text());
  return texts;
}

bool JsonValue::boolean() const {
  if (!value_->is_boolean()) expected("true or false");
  return value_->get<bool>();
}

int64_t JsonValue::whole(int64_t least, int64_t most) const {
  const auto wrong = [&] { expected(fmt::format("a whole number from {} to {}", least, most)); };
  if (value_->is_number_unsigned()) {  // may be more than int64_t holds
    const auto number = value_->get<uint64_t>();
    if (number > static_cast<uint64_t>(std::max<int64_t>(most, 0))) wrong();
  } else if (value_->is_number_float()) {  // 8.0 is 8; 8.9 and 1e300 are refused
    const auto number = value_->get<double>();
    constexpr double exact = 9007199254740992;  // 2^53
    if (!(std::abs(number) <= exact) || number != std::floor(number)) wrong();
  } else if (!value_->is_number_integer()) {
    wrong();
  }
  const auto number = value_->get<int64_t>();
  if (number < least || number > most) wrong();
  return number;
}

double JsonValue::number(double least, double most) const {
  const double number = value_->is_number() ? value_->get<double>() : std::nan("");
  if (!(number >= least && number <= most)) {
    expected(fmt::format("a number from {:.10g} to {:.10g}", least, most));
  }
  return number;
}

}  // namespace slipway
