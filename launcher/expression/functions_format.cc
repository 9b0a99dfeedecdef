// format() and formatlist().
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "launcher/expression/arguments.h"
#include "launcher/expression/budget.h"
#include "launcher/expression/evaluate.h"
#include "launcher/expression/json.h"
#include "launcher/expression/unicode.h"

namespace slipway::expression {
namespace {

// %[-+# 0][width][.precision][[argument]]verb
struct Verb {
  bool left = false, plus = false, alternative = false, space = false, zeros = false;
  size_t width = 0;
  std::optional<size_t> precision;
  std::optional<size_t> argument;  // its number, 1-based
  char letter = '\0';
  std::string_view text;
};

constexpr std::string_view letters = "vtbdoxXeEfgGsq";
constexpr size_t widest = 100'000;

size_t digits(std::string_view text, size_t& at) {
  size_t number = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    number = number * 10 + static_cast<size_t>(text[at] - '0');
    if (number > widest) throw ArgumentError(0, fmt::format("has a number above {}", widest));
  }
  return number;
}

// Reads the verb at `at` and moves `at` past it.
Verb read_verb(std::string_view pattern, size_t& at) {
  Verb verb;
  const size_t begin = at++;
  for (bool more = true; more && at < pattern.size();) {
    switch (pattern[at]) {
      case '-':
        verb.left = true;
        break;
      case '+':
        verb.plus = true;
        break;
      case '#':
        verb.alternative = true;
        break;
      case ' ':
        verb.space = true;
        break;
      case '0':
        verb.zeros = true;
        break;
      default:
        more = false;
        continue;
    }
    ++at;
  }
  verb.width = digits(pattern, at);
  if (at < pattern.size() && pattern[at] == '.') verb.precision = digits(pattern, ++at);
  if (at < pattern.size() && pattern[at] == '[') {
    verb.argument = digits(pattern, ++at);
    if (at >= pattern.size() || pattern[at] != ']') throw ArgumentError(0, "has `[` without `]`");
    ++at;
  }
  if (at >= pattern.size()) throw ArgumentError(0, "ends inside a verb");
  verb.letter = pattern[at++];
  verb.text = pattern.substr(begin, at - begin);
  if (letters.find(verb.letter) == std::string_view::npos) {
    throw ArgumentError(0, fmt::format("has `{}`, which is not a verb", verb.text));
  }
  return verb;
}

std::string with_sign(const Verb& verb, std::string text) {
  if (text.starts_with('-')) return text;
  return (verb.plus ? "+" : verb.space ? " " : "") + text;
}

std::string whole_number(const Verb& verb, Number number) {
  if (std::nearbyint(number) != number) throw Error("is not a whole number");
  if (verb.letter == 'd') return with_sign(verb, number_text(number));
  if (std::fabs(number) >= 18446744073709551616.0L) throw Error("is too large for this verb");
  const auto size = static_cast<uint64_t>(std::fabs(number));
  std::string text;
  std::string_view prefix;
  switch (verb.letter) {
    case 'b':
      text = fmt::format("{:b}", size);
      prefix = "0b";
      break;
    case 'o':
      text = fmt::format("{:o}", size);
      prefix = "0";
      break;
    case 'x':
      text = fmt::format("{:x}", size);
      prefix = "0x";
      break;
    default:
      text = fmt::format("{:X}", size);
      prefix = "0X";
      break;
  }
  if (verb.alternative) text.insert(0, prefix);
  return with_sign(verb, number < 0 ? "-" + text : text);
}

// %g without a precision prints as many digits as the number needs.
int shortest_precision(Number number) {
  char text[64];
  int precision = 1;
  for (; precision < 21; ++precision) {
    std::snprintf(text, sizeof text, "%.*Le", precision - 1, number);
    if (std::strtold(text, nullptr) == number) break;
  }
  return precision;
}

std::string decimal(const Verb& verb, Number number) {
  int precision = static_cast<int>(verb.precision.value_or(6));
  char letter = verb.letter;
  const bool general = letter == 'g' || letter == 'G' || letter == 'v';
  if (general && !verb.precision) {
    const int shortest = shortest_precision(number);
    const int exponent =
        number == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::fabs(number))));
    const bool with_exponent = exponent < -4 || exponent >= (verb.letter == 'v' ? 21 : 6);
    precision = with_exponent ? shortest - 1 : std::max(0, shortest - 1 - exponent);
    letter = with_exponent ? (letter == 'G' ? 'E' : 'e') : 'f';
  }
  const char pattern[] = {'%', '.', '*', 'L', letter, '\0'};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int size = std::snprintf(nullptr, 0, pattern, precision, number);
  std::string text(static_cast<size_t>(size) + 1, '\0');
  std::snprintf(text.data(), text.size(), pattern, precision, number);
#pragma GCC diagnostic pop
  text.pop_back();
  return with_sign(verb, text);
}

std::string shown(const Verb& verb, const Value& value) {
  switch (verb.letter) {
    case 'v':
      if (const auto* number = value.as<Number>()) return decimal(verb, *number);
      if (const auto text = text_of(value); text && !verb.alternative) return *text;
      return to_json(value);
    case 't':
      if (const auto boolean = bool_of(value)) return *boolean ? "true" : "false";
      throw Error(fmt::format("is {}, not a boolean", describe(value)));
    case 's':
    case 'q': {
      const auto text = text_of(value);
      if (!text) throw Error(fmt::format("is {}, not a string", describe(value)));
      if (verb.letter == 'q') return to_json(Value(*text));
      if (!verb.precision) return *text;
      const std::vector<std::string_view> all = characters(*text);
      std::string out;
      for (size_t i = 0; i < std::min(all.size(), *verb.precision); ++i) out += all[i];
      return out;
    }
    default: {
      const auto number = number_of(value);
      if (!number) throw Error(fmt::format("is {}, not a number", describe(value)));
      const bool whole = std::string_view("bdoxX").find(verb.letter) != std::string_view::npos;
      return whole ? whole_number(verb, *number) : decimal(verb, *number);
    }
  }
}

std::string padded(const Verb& verb, std::string text) {
  if (verb.letter == 't') return text;
  const size_t size = characters(text).size();
  if (verb.width <= size) return text;
  const size_t fill = verb.width - size;
  if (verb.left) return text + std::string(fill, ' ');
  if (!verb.zeros) return std::string(fill, ' ') + text;
  const bool sign = text.starts_with('-') || text.starts_with('+');
  return text.insert(sign ? 1 : 0, fill, '0');
}

std::string formatted(const List& arguments) {
  const std::string& pattern = text_at(arguments, 0);
  std::string out;
  size_t next = 1;
  size_t used = 1;
  for (size_t at = 0; at < pattern.size();) {
    if (pattern[at] != '%') {
      out += pattern[at++];
      continue;
    }
    if (pattern.compare(at, 2, "%%") == 0) {
      out += '%';
      at += 2;
      continue;
    }
    const Verb verb = read_verb(pattern, at);
    const size_t index = verb.argument.value_or(next);
    next = index + 1;
    if (index == 0 || index >= arguments.size()) {
      throw ArgumentError(0, fmt::format("has `{}`, but there is no value {}", verb.text, index));
    }
    used = std::max(used, next);
    try {
      const std::string text = padded(verb, shown(verb, arguments[index]));
      spend_text(text.size());
      out += text;
    } catch (const ArgumentError&) {
      throw;
    } catch (const Error& error) {
      throw ArgumentError(index, fmt::format("{}: needed by `{}`", error.what(), verb.text));
    }
    if (out.size() > largest_text) spend_text(out.size());
  }
  if (used < arguments.size()) throw ArgumentError(used, "has no verb in the pattern");
  return out;
}

Result format(const List& arguments) {
  return Value(formatted(arguments));
}

// formatlist(pattern, …): each result uses one member of every argument that is a list.
Result formatlist(const List& arguments) {
  std::optional<size_t> count;
  for (size_t i = 1; i < arguments.size(); ++i) {
    const auto* list = arguments[i].as<List>();
    if (list == nullptr) continue;
    if (count && *count != list->size()) {
      throw ArgumentError(
          i, fmt::format("has {} members, but an earlier list has {}", list->size(), *count));
    }
    count = list->size();
  }
  List out;
  List round = arguments;
  for (size_t k = 0; k < count.value_or(1); ++k) {
    for (size_t i = 1; i < arguments.size(); ++i) {
      if (const auto* list = arguments[i].as<List>()) round[i] = (*list)[k];
    }
    spend(round.size());
    out.emplace_back(formatted(round));
  }
  return list_value(std::move(out));
}

constexpr std::array format_table = std::to_array<Function>({
    {"format", "string, any|null...", format},
    {"formatlist", "string, any|null...", formatlist},
});

}  // namespace

std::span<const Function> format_functions() {
  return format_table;
}

}  // namespace slipway::expression
