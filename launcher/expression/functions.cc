// The functions. They mean what Terraform's of the same name mean
// (https://developer.hashicorp.com/terraform/language/functions); those said to be ours are for
// module files.
#include "launcher/expression/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <regex>

#include "common/error.h"
#include "launcher/expression/evaluate.h"
#include "launcher/expression/ipv4.h"

namespace slipway::expression {
namespace {

using List = Value::List;
using Object = Value::Object;
using Number = Value::Number;
using Result = std::optional<Value>;

constexpr size_t any = std::numeric_limits<size_t>::max();

const List& list_at(const List& arguments, size_t i) {
  if (const auto* list = arguments[i].as<List>()) return *list;
  throw Error(fmt::format("argument {} is {}, not a list", i + 1, describe(arguments[i])));
}

std::string text_at(const List& arguments, size_t i) {
  if (const auto text = text_of(arguments[i])) return *text;
  throw Error(fmt::format("argument {} is {}, not a string", i + 1, describe(arguments[i])));
}

Number number_at(const List& arguments, size_t i) {
  if (const auto* number = arguments[i].as<Number>()) return *number;
  throw Error(fmt::format("argument {} is {}, not a number", i + 1, describe(arguments[i])));
}

bool flatten_into(const Value& value, List& out) {
  const auto* list = value.as<List>();
  if (list == nullptr) {
    out.push_back(value);
    return true;
  }
  for (const Value& item : *list) {
    if (item.is_unknown()) return false;  // a list of unknown length, perhaps
    if (!flatten_into(item, out)) return false;
  }
  return true;
}

Result flatten(const List& arguments) {
  if (arguments[0].is_unknown()) return std::nullopt;
  list_at(arguments, 0);
  List out;
  if (!flatten_into(arguments[0], out)) return std::nullopt;
  return out;
}

Result concat(const List& arguments) {
  List out;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].is_unknown()) return std::nullopt;
    const List& list = list_at(arguments, i);
    out.insert(out.end(), list.begin(), list.end());
  }
  return out;
}

Result merge(const List& arguments) {
  Object out;
  for (const Value& argument : arguments) {
    if (argument.is_unknown()) return std::nullopt;
    if (argument.is_null()) continue;
    const auto* object = argument.as<Object>();
    if (object == nullptr) throw Error(fmt::format("{} is not an object", describe(argument)));
    for (const auto& [key, value] : *object) out.insert_or_assign(key, value);
  }
  return out;
}

Result coalesce(const List& arguments) {
  for (const Value& argument : arguments) {
    if (argument.is_unknown()) return std::nullopt;
    const auto* text = argument.as<std::string>();
    if (!argument.is_null() && (text == nullptr || !text->empty())) return argument;
  }
  throw Error("every argument is null or empty");
}

Result length(const List& arguments) {
  if (const auto* list = arguments[0].as<List>()) return static_cast<Number>(list->size());
  if (const auto* object = arguments[0].as<Object>()) return static_cast<Number>(object->size());
  if (arguments[0].is_unknown()) return std::nullopt;
  const std::string text = text_at(arguments, 0);
  const auto is_lead = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return static_cast<Number>(std::count_if(text.begin(), text.end(), is_lead));
}

Result compact(const List& arguments) {
  List out;
  for (const Value& item : list_at(arguments, 0)) {
    const auto* text = item.as<std::string>();
    if (!item.is_null() && (text == nullptr || !text->empty())) out.push_back(item);
  }
  return out;
}

Result distinct(const List& arguments) {
  List out;
  for (const Value& item : list_at(arguments, 0)) {
    if (std::find(out.begin(), out.end(), item) == out.end()) out.push_back(item);
  }
  return out;
}

Result contains(const List& arguments) {
  const List& list = list_at(arguments, 0);
  return std::find(list.begin(), list.end(), arguments[1]) != list.end();
}

Result keys(const List& arguments) {
  if (arguments[0].is_unknown()) return std::nullopt;
  const auto* object = arguments[0].as<Object>();
  if (object == nullptr) throw Error(fmt::format("{} is not an object", describe(arguments[0])));
  List out;
  for (const auto& [key, value] : *object) out.emplace_back(key);
  return out;
}

Result join(const List& arguments) {
  const std::string separator = text_at(arguments, 0);
  std::string out;
  const List& list = list_at(arguments, 1);
  for (size_t i = 0; i < list.size(); ++i) out += (i == 0 ? "" : separator) + text_at(list, i);
  return Value(out);
}

template <int convert(int)>
Result change_case(const List& arguments) {
  std::string text = text_at(arguments, 0);
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x80) c = static_cast<char>(convert(c));
  }
  return Value(text);
}

int lower(int c) {
  return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}
int upper(int c) {
  return c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c;
}

// replace(text, "/regular expression/", with) or replace(text, words, with).
Result replace(const List& arguments) {
  const std::string text = text_at(arguments, 0);
  const std::string what = text_at(arguments, 1);
  const std::string with = text_at(arguments, 2);
  if (what.size() > 1 && what.front() == '/' && what.back() == '/') {
    return Value(std::regex_replace(text, std::regex(what.substr(1, what.size() - 2)), with));
  }
  if (what.empty()) return Value(text);
  std::string out;
  size_t at = 0;
  for (size_t hit = text.find(what); hit != std::string::npos; hit = text.find(what, at)) {
    out += text.substr(at, hit - at) + with;
    at = hit + what.size();
  }
  return Value(out + text.substr(at));
}

// Ours: whether the text has the pattern in it. Terraform says can(regex(pattern, text)).
Result matches(const List& arguments) {
  return std::regex_search(text_at(arguments, 1), std::regex(text_at(arguments, 0)));
}

Result substr(const List& arguments) {
  const std::string text = text_at(arguments, 0);
  const auto size = static_cast<Number>(text.size());
  Number begin = number_at(arguments, 1);
  const Number count = number_at(arguments, 2);
  if (begin < 0) begin = std::max<Number>(0, begin + size);
  if (begin >= size) return Value("");
  return Value(text.substr(static_cast<size_t>(begin),
                           count < 0 ? std::string::npos : static_cast<size_t>(count)));
}

// format("%s-%02d", …): the verbs s, v, d and q, with width, - and 0.
Result format(const List& arguments) {
  const std::string pattern = text_at(arguments, 0);
  std::string out;
  size_t next = 1;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      out += pattern[i];
      continue;
    }
    if (++i < pattern.size() && pattern[i] == '%') {
      out += '%';
      continue;
    }
    bool left = false;
    bool zeros = false;
    for (; i < pattern.size() && (pattern[i] == '-' || pattern[i] == '0'); ++i) {
      (pattern[i] == '-' ? left : zeros) = true;
    }
    size_t width = 0;
    for (; i < pattern.size() && pattern[i] >= '0' && pattern[i] <= '9'; ++i) {
      width = std::min<size_t>(1000, width * 10 + static_cast<size_t>(pattern[i] - '0'));
    }
    const char verb = i < pattern.size() ? pattern[i] : '\0';
    if (verb != 's' && verb != 'v' && verb != 'd' && verb != 'q') {
      throw Error("only the verbs %s, %v, %d and %q are known");
    }
    if (next >= arguments.size()) throw Error("there are more verbs than arguments");
    std::string text = verb == 'd' ? number_text(std::trunc(number_at(arguments, next)))
                                   : text_at(arguments, next);
    if (verb == 'q') text = to_hcl(*to_expression(Value(text)));
    ++next;
    const size_t fill = width > text.size() ? width - text.size() : 0;
    if (left) {
      out += text + std::string(fill, ' ');
    } else {
      out += std::string(fill, zeros ? '0' : ' ') + text;
    }
  }
  if (next != arguments.size()) throw Error("there are more arguments than verbs");
  return Value(out);
}

Result tostring(const List& arguments) {
  if (arguments[0].is_null()) return arguments[0];
  return Value(text_at(arguments, 0));
}

Result tonumber(const List& arguments) {
  const std::string text = text_at(arguments, 0);
  char* end = nullptr;
  const Number number = std::strtold(text.c_str(), &end);
  if (text.empty() || *end != '\0') throw Error(fmt::format("`{}` is not a number", text));
  return number;
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

Result abs(const List& arguments) {
  return std::fabs(number_at(arguments, 0));
}

Result pow(const List& arguments) {
  const Number power = std::pow(number_at(arguments, 0), number_at(arguments, 1));
  if (!std::isfinite(power)) throw Error("there is no such number");
  return power;
}

Result sum(const List& arguments) {
  const List& list = list_at(arguments, 0);
  if (list.empty()) throw Error("the list is empty");
  Number sum = 0;
  for (size_t i = 0; i < list.size(); ++i) sum += number_at(list, i);
  return sum;
}

// range(end), range(begin, end) or range(begin, end, step); Terraform stops at 1024 numbers, too.
Result range(const List& arguments) {
  const bool from_zero = arguments.size() == 1;
  const Number begin = from_zero ? 0 : number_at(arguments, 0);
  const Number end = number_at(arguments, from_zero ? 0 : 1);
  const Number step = arguments.size() > 2 ? number_at(arguments, 2) : end < begin ? -1 : 1;
  if (step == 0 || (end - begin) * step < 0) throw Error("no step leads to the end");
  List out;
  for (Number n = begin; step > 0 ? n < end : n > end; n += step) {
    if (out.size() == 1024) throw Error("these are more than 1024 numbers");
    out.emplace_back(n);
  }
  return out;
}

// element(list, index): behind the last element comes the first one again.
Result element(const List& arguments) {
  const List& list = list_at(arguments, 0);
  const Number index = number_at(arguments, 1);
  if (list.empty()) throw Error("the list is empty");
  if (!(index >= 0) || !std::isfinite(index)) throw Error("the index is no number from 0 up");
  return list[static_cast<size_t>(std::fmod(std::trunc(index), list.size()))];
}

// Ours: neither null, false, 0 nor empty.
Result is_set(const List& arguments) {
  const Value& value = arguments[0];
  if (value.is_unknown()) return std::nullopt;
  if (const auto* list = value.as<List>()) return !list->empty();
  if (const auto* object = value.as<Object>()) return !object->empty();
  return !(value.is_null() || value == Value(false) || value == Value(0) || value == Value(""));
}

// Ours: whether a text is an IPv4 range that a network can have.
Result is_ipv4_range(const List& arguments) {
  const auto range = parse_ipv4_range(text_at(arguments, 0));
  return range && is_for_machines(*range);
}

Result cidrsubnet(const List& arguments) {
  const std::string text = text_at(arguments, 0);
  const auto range = parse_ipv4_range(text);
  if (!range) throw Error(fmt::format("`{}` is not an IPv4 range", text));
  const Number bits = number_at(arguments, 1);
  const Number number = number_at(arguments, 2);
  const Number prefix = bits + static_cast<Number>(range->prefix);
  if (bits < 0 || prefix > 32 || std::trunc(bits) != bits) {
    throw Error(fmt::format("`{}` cannot be made {} bits smaller", text, number_text(bits)));
  }
  if (number < 0 || number >= std::exp2(bits)) {
    throw Error(fmt::format("`{}` has no part {}", text, number_text(number)));
  }
  const auto offset = static_cast<uint64_t>(number) << (32 - static_cast<int>(prefix));
  return Value(
      to_text(Ipv4Range{range->address + static_cast<uint32_t>(offset), static_cast<int>(prefix)}));
}

Result lookup(const List& arguments) {
  const auto* object = arguments[0].as<Object>();
  if (object == nullptr) throw Error(fmt::format("{} is not an object", describe(arguments[0])));
  const std::string key = text_at(arguments, 1);
  const auto member = object->find(key);
  if (member != object->end()) return member->second;
  if (arguments.size() < 3) throw Error(fmt::format("there is no key `{}`", key));
  return arguments[2];
}

// Ours, for the `model` of module files: the id of the module whose output a value is, or null.
Result module_of(const List& arguments) {
  const auto* unknown = arguments[0].as<Unknown>();
  if (unknown == nullptr || unknown->module.empty()) return Value();
  return Value(unknown->module);
}

constexpr std::array table = std::to_array<Function>({
    {"abs", 1, 1, false, abs},
    {"cidrsubnet", 3, 3, false, cidrsubnet},
    {"coalesce", 1, any, true, coalesce},
    {"compact", 1, 1, false, compact},
    {"concat", 0, any, true, concat},
    {"contains", 2, 2, false, contains},
    {"distinct", 1, 1, false, distinct},
    {"element", 2, 2, false, element},
    {"flatten", 1, 1, true, flatten},
    {"format", 1, any, false, format},
    {"is_ipv4_range", 1, 1, false, is_ipv4_range},
    {"is_set", 1, 1, true, is_set},
    {"join", 2, 2, false, join},
    {"keys", 1, 1, true, keys},
    {"length", 1, 1, true, length},
    {"lookup", 2, 3, false, lookup},
    {"lower", 1, 1, false, change_case<lower>},
    {"matches", 2, 2, false, matches},
    {"max", 1, any, false, extreme<true>},
    {"merge", 0, any, true, merge},
    {"min", 1, any, false, extreme<false>},
    {"module_of", 1, 1, true, module_of},
    {"pow", 2, 2, false, pow},
    {"range", 1, 3, false, range},
    {"replace", 3, 3, false, replace},
    {"substr", 3, 3, false, substr},
    {"sum", 1, 1, false, sum},
    {"tonumber", 1, 1, false, tonumber},
    {"tostring", 1, 1, false, tostring},
    {"upper", 1, 1, false, change_case<upper>},
});

}  // namespace

const Function* find_function(std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(), [name](const Function& function) {
    return function.name == name;
  });
  return found == table.end() ? nullptr : &*found;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names = terraform_function_names();
  for (const Function& function : table) names.emplace_back(function.name);
  return names;
}

}  // namespace slipway::expression
