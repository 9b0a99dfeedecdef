// Functions for numbers.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "launcher/expression/arguments.h"

namespace slipway::expression {
namespace {

Result finite(Number number) {
  if (!std::isfinite(number)) throw Error("the result is not a finite number");
  return number;
}

Result abs(const List& arguments) {
  return std::fabs(number_at(arguments, 0));
}
Result ceil(const List& arguments) {
  return std::ceil(number_at(arguments, 0));
}
Result floor(const List& arguments) {
  return std::floor(number_at(arguments, 0));
}

// Terraform computes these two in double precision; long double would change the last digits.
Result log(const List& arguments) {
  const auto number = static_cast<double>(number_at(arguments, 0));
  const auto base = static_cast<double>(number_at(arguments, 1));
  return finite(std::log(number) / std::log(base));
}

Result pow(const List& arguments) {
  const auto base = static_cast<double>(number_at(arguments, 0));
  return finite(std::pow(base, static_cast<double>(number_at(arguments, 1))));
}

Result signum(const List& arguments) {
  const int64_t number = integer_at(arguments, 0);
  return (number > 0) - (number < 0);
}

template <bool largest>
Result extreme(const List& arguments) {
  Number found = number_at(arguments, 0);
  for (size_t i = 1; i < arguments.size(); ++i) {
    const Number number = number_at(arguments, i);
    found = largest ? std::max(found, number) : std::min(found, number);
  }
  return found;
}

Result sum(const List& arguments) {
  const List& list = list_at(arguments, 0);
  if (list.empty()) throw ArgumentError(0, "is an empty list");
  Number sum = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    const auto number = number_of(list[i]);
    if (!number) {
      throw ArgumentError(0, fmt::format("at [{}]: {} is not a number", i, describe(list[i])));
    }
    sum += *number;
  }
  return finite(sum);
}

// Up to base 36, digits are case-insensitive; above, upper case follows lower case.
int digit(char c, int64_t base) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + (base <= 36 ? 10 : 36);
  return 62;
}

Result parseint(const List& arguments) {
  const auto* text = arguments[0].as<std::string>();
  if (text == nullptr)
    throw ArgumentError(0, fmt::format("is {}, not a string", describe(arguments[0])));
  const int64_t base = integer_at(arguments, 1, 2, 62);
  const bool has_sign = !text->empty() && ((*text)[0] == '-' || (*text)[0] == '+');
  const std::string_view digits = std::string_view(*text).substr(has_sign ? 1 : 0);
  Number number = 0;
  for (const char c : digits) {
    const int value = digit(c, base);
    if (value >= base) {
      throw ArgumentError(0, fmt::format("is `{}`, not a number of base {}", *text, base));
    }
    number = number * static_cast<Number>(base) + static_cast<Number>(value);
  }
  if (digits.empty()) throw ArgumentError(0, fmt::format("is `{}`, not a number", *text));
  return finite((*text)[0] == '-' ? -number : number);
}

constexpr std::array numeric_table = std::to_array<Function>({
    {"abs", "number", abs},
    {"ceil", "number", ceil},
    {"floor", "number", floor},
    {"log", "number, number", log},
    {"max", "number, number...", extreme<true>},
    {"min", "number, number...", extreme<false>},
    {"parseint", "any, number", parseint},
    {"pow", "number, number", pow},
    {"signum", "number", signum},
    {"sum", "any", sum},
});

}  // namespace

std::span<const Function> numeric_functions() {
  return numeric_table;
}

}  // namespace slipway::expression
