// Creates, compares and describes values.
#include "launcher/expression/value.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace slipway::expression {

namespace {

void add_part(Extent& whole, const Value& part) {
  const Extent more = part.extent();
  whole.units += more.units;
  whole.depth = std::max(whole.depth, more.depth + 1);
  whole.known = whole.known && more.known;
  whole.sensitive = whole.sensitive || more.sensitive;
}

Extent extent_of(const Value::List& list) {
  Extent whole{1};
  for (const Value& item : list) add_part(whole, item);
  return whole;
}

Extent extent_of(const Value::Object& object) {
  Extent whole{1};
  for (const auto& [key, member] : object) {
    whole.units += 1 + key.size() / text_unit;
    add_part(whole, member);
  }
  return whole;
}

// In one word, as values of the catalogue belong to several threads: 40 bits of units, 20 of depth.
constexpr uint64_t is_packed = 1, is_known_bit = 2, is_sensitive_bit = 4;
constexpr int depth_at = 3, units_at = 23;

uint64_t packed(const Extent& extent) {
  return is_packed | (extent.known ? is_known_bit : 0) |
         (extent.sensitive ? is_sensitive_bit : 0) |
         static_cast<uint64_t>(extent.depth) << depth_at |
         static_cast<uint64_t>(extent.units) << units_at;
}

Extent unpacked(uint64_t word) {
  return {word >> units_at,
          static_cast<int>(word >> depth_at) & ((1 << (units_at - depth_at)) - 1),
          (word & is_known_bit) != 0, (word & is_sensitive_bit) != 0};
}

}  // namespace

template <class Parts>
Extent Shared<Parts>::extent() const {
  if (kept_ == nullptr) return {1};
  uint64_t word = kept_->extent.load(std::memory_order_relaxed);
  if (word == 0) {
    word = packed(extent_of(kept_->parts));
    kept_->extent.store(word, std::memory_order_relaxed);
  }
  return unpacked(word);
}
template Extent Shared<Value::List>::extent() const;
template Extent Shared<Value::Object>::extent() const;

Value::Value(const Value& other) = default;
Value::Value(Value&& other) noexcept = default;
Value& Value::operator=(const Value& other) = default;
Value& Value::operator=(Value&& other) noexcept = default;
Value::~Value() = default;

Extent Value::extent() const {
  Extent extent{1, 0, !is_unknown(), false};
  if (const auto* list = std::get_if<Shared<List>>(&data)) extent = list->extent();
  if (const auto* object = std::get_if<Shared<Object>>(&data)) extent = object->extent();
  if (const auto* text = as<std::string>()) extent.units += text->size() / text_unit;
  extent.sensitive = extent.sensitive || sensitive;
  return extent;
}

bool Value::is_known() const {
  return extent().known;
}

bool Value::is_sensitive() const {
  return sensitive || extent().sensitive;
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
        const auto& right = std::get<T>(b.data);
        if constexpr (std::is_same_v<T, Unknown>) {
          return false;
        } else if constexpr (requires { left.get(); }) {
          return left.get() == right.get() || *left.get() == *right.get();
        } else {
          return left == right;
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
