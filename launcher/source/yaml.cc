// YAML nodes: looking up keys, and the values of scalars.
#include "launcher/source/yaml.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace slipway::source {
namespace {

bool all_in(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

constexpr std::string_view digits = "0123456789";

// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
bool is_decimal(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const size_t exponent = text.find_first_of("eE");
  if (exponent != std::string_view::npos) {
    std::string_view power = text.substr(exponent + 1);
    if (power.starts_with('-') || power.starts_with('+')) power.remove_prefix(1);
    if (!all_in(power, digits)) return false;
    text = text.substr(0, exponent);
  }
  const size_t point = text.find('.');
  if (point == std::string_view::npos) return all_in(text, digits);
  const std::string_view whole = text.substr(0, point);
  const std::string_view part = text.substr(point + 1);
  return (whole.empty() || all_in(whole, digits)) &&
         (part.empty() ? !whole.empty() : all_in(part, digits));
}

// An integer with a sign and a base: 0x1f, 0o17, 017 and 0b101, as Cluster Toolkit reads them.
std::optional<long double> as_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  constexpr std::string_view all = "0123456789abcdefABCDEF";
  struct Base {
    std::string_view prefix;
    int base;
    std::string_view digits;
  };
  const Base bases[] = {{"0x", 16, all},
                        {"0o", 8, all.substr(0, 8)},
                        {"0b", 2, all.substr(0, 2)},
                        {"0", 8, all.substr(0, 8)}};
  for (const auto& [prefix, base, digits] : bases) {
    if (!text.starts_with(prefix)) continue;
    const std::string number(text.substr(prefix.size()));
    if (number.size() > 16 || !all_in(number, digits)) continue;
    const auto value = static_cast<long double>(std::strtoull(number.c_str(), nullptr, base));
    return negative ? -value : value;
  }
  return std::nullopt;
}

// Underscores between digits are ignored.
std::optional<long double> as_number(std::string text) {
  if (text.find_first_of("0123456789") == std::string::npos || text.starts_with('_')) {
    return std::nullopt;
  }
  std::erase(text, '_');
  if (const auto integer = as_integer(text)) return integer;
  if (!is_decimal(text)) return std::nullopt;
  const long double number = std::strtold(text.c_str(), nullptr);
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

bool one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

constexpr std::string_view string_tag = "tag:yaml.org,2002:str";

}  // namespace

bool Node::is_null() const {
  return is_scalar() && style == Style::plain && tag != string_tag &&
         one_of(text, {"", "~", "null", "Null", "NULL"});
}

const Entry* Node::find_entry(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [key](const Entry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

const Node* Node::find(std::string_view key) const {
  const Entry* entry = find_entry(key);
  return entry == nullptr ? nullptr : &entry->value;
}

Scalar resolve(const Node& scalar) {
  if (scalar.style != Style::plain || scalar.tag == string_tag) return scalar.text;
  if (scalar.is_null()) return std::monostate{};
  if (one_of(scalar.text, {"true", "True", "TRUE"})) return true;
  if (one_of(scalar.text, {"false", "False", "FALSE"})) return false;
  if (const auto number = as_number(scalar.text)) return *number;
  return scalar.text;
}

std::string_view describe(const Node& node) {
  switch (node.kind) {
    case Kind::sequence:
      return "a list";
    case Kind::mapping:
      return "a mapping";
    case Kind::scalar:
      break;
  }
  constexpr std::string_view names[] = {"nothing", "a boolean", "a number", "a string"};
  return names[resolve(node).index()];
}

}  // namespace slipway::source
