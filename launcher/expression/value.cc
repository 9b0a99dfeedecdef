// Creates, compares and describes values.
#include "launcher/expression/value.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace slipway::expression {

Value::Value(const Value& other) = default;
Value::Value(Value&& other) noexcept = default;
Value& Value::operator=(const Value& other) = default;
Value& Value::operator=(Value&& other) noexcept = default;
Value::~Value() = default;

bool Value::is_known() const {
  if (const auto* list = as<List>()) {
    return std::all_of(list->begin(), list->end(), [](const Value& v) { return v.is_known(); });
  }
  if (const auto* object = as<Object>()) {
    return std::all_of(object->begin(), object->end(),
                       [](const auto& member) { return member.second.is_known(); });
  }
  return !is_unknown();
}

bool Value::is_sensitive() const {
  if (sensitive) return true;
  if (const auto* list = as<List>()) {
    return std::any_of(list->begin(), list->end(), [](const Value& v) { return v.is_sensitive(); });
  }
  const auto* object = as<Object>();
  return object != nullptr && std::any_of(object->begin(), object->end(), [](const auto& member) {
           return member.second.is_sensitive();
         });
}

Value as_collection(Value value, Value::Collection collection) {
  value.collection = collection;
  return value;
}

bool operator==(const Value& a, const Value& b) {
  if (a.data.index() != b.data.index()) return false;
  return std::visit(
      [&b](const auto& left) {
        using T = std::decay_t<decltype(left)>;
        if constexpr (std::is_same_v<T, Unknown>) {
          return false;
        } else {
          return left == std::get<T>(b.data);
        }
      },
      a.data);
}

std::string_view describe(const Value& value) {
  constexpr std::string_view names[] = {"null",   "a boolean", "a number",        "a string",
                                        "a list", "an object", "an unknown value"};
  return names[value.data.index()];
}

std::string number_text(Value::Number number) {
  if (std::fabs(number) < 1e18L) {
    const auto whole = static_cast<long long>(number);
    const bool is_zero = whole == 0 && std::signbit(number);
    if (static_cast<Value::Number>(whole) == number && !is_zero) return std::to_string(whole);
  }
  char text[5200];  // the largest number has 4933 digits
  if (std::nearbyint(number) == number && std::fabs(number) < 1e19L) {
    std::snprintf(text, sizeof text, "%.0Lf", number);
    return text;
  }
  int digits = 1;
  for (; digits <= 21; ++digits) {
    std::snprintf(text, sizeof text, "%.*Le", digits - 1, number);
    if (std::strtold(text, nullptr) == number) break;
  }
  const char* mark = std::strchr(text, 'e');
  if (mark == nullptr) return text;  // not a finite number
  const int exponent = std::atoi(mark + 1);
  if (exponent >= digits && digits > 19) {  // such as a power of two: all its digits matter
    std::snprintf(text, sizeof text, "%.0Lf", number);
    return text;
  }
  std::string out(text, static_cast<size_t>(mark - text));
  const bool negative = out[0] == '-';
  std::erase_if(out, [](char c) { return c == '-' || c == '.'; });
  const auto size = static_cast<int>(out.size());
  if (exponent < 0) {
    out = "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + out;
  } else if (exponent + 1 < size) {
    out.insert(static_cast<size_t>(exponent + 1), 1, '.');
  } else {
    out.append(static_cast<size_t>(exponent + 1 - size), '0');
  }
  return negative ? "-" + out : out;
}

std::string short_number_text(Value::Number number) {
  std::string text = number_text(number);
  if (text.size() <= 24) return text;
  char shorter[64];
  for (int digits = 1; digits <= 21; ++digits) {
    std::snprintf(shorter, sizeof shorter, "%.*Lg", digits, number);
    if (std::strtold(shorter, nullptr) == number) break;
  }
  return shorter;
}

std::optional<Value::Number> parse_number(const std::string& text) {
  const auto digits = [&](size_t& at) {
    const size_t begin = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at - begin;
  };
  size_t at = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  size_t count = digits(at);
  if (at < text.size() && text[at] == '.') count += digits(++at);
  if (count == 0) return std::nullopt;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (digits(at) == 0) return std::nullopt;
  }
  if (at != text.size()) return std::nullopt;
  const Value::Number number = std::strtold(text.c_str(), nullptr);
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::optional<Value::Number> number_of(const Value& value) {
  if (const auto* number = value.as<Value::Number>()) return *number;
  const auto* text = value.as<std::string>();
  return text == nullptr ? std::nullopt : parse_number(*text);
}

std::optional<bool> bool_of(const Value& value) {
  if (const auto* boolean = value.as<bool>()) return *boolean;
  const auto* text = value.as<std::string>();
  if (text != nullptr && *text == "true") return true;
  if (text != nullptr && *text == "false") return false;
  return std::nullopt;
}

}  // namespace slipway::expression
