// The parameters of functions, and the conversion of arguments to them.
#include "launcher/expression/arguments.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <unordered_map>

#include "common/count.h"
#include "launcher/expression/evaluate.h"
#include "launcher/expression/unify.h"

namespace slipway::expression {
namespace {

struct Parameter {
  Type type;
  bool null = false, optional = false, repeats = false;
};

// Removes `ending` from the end of `text`, if it is there.
bool take_ending(std::string_view& text, std::string_view ending) {
  if (!text.ends_with(ending)) return false;
  text.remove_suffix(ending.size());
  return true;
}

std::vector<Parameter> read_parameters(std::string_view text) {
  std::vector<Parameter> parameters;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    std::string_view word = text.substr(0, end);
    Parameter parameter;
    parameter.repeats = take_ending(word, "...");
    parameter.optional = take_ending(word, "?") || parameter.repeats;
    parameter.null = take_ending(word, "|null");
    parameter.type = parse_type(word);
    parameters.push_back(std::move(parameter));
    text.remove_prefix(std::min(text.size(), end + 2));
  }
  return parameters;
}

const std::vector<Parameter>& parameters_of(const Function& function) {
  static thread_local std::unordered_map<std::string_view, std::vector<Parameter>> all;
  const auto found = all.find(function.name);
  if (found != all.end()) return found->second;
  return all.emplace(function.name, read_parameters(function.parameters)).first->second;
}

[[noreturn]] void refuse(size_t i, const Value& value, const Type& type) {
  const auto text = text_of(value);
  const bool short_text = value.as<std::string>() != nullptr && text->size() <= 40;
  throw ArgumentError(
      i, fmt::format("is {}, not {}",
                     short_text ? fmt::format("`{}`", *text) : std::string(describe(value)),
                     describe(type)));
}

}  // namespace

ArgumentError::ArgumentError(size_t index, const std::string& message)
    : Error(fmt::format("argument {} {}", index + 1, message)), index(index) {}

Arity arity(const Function& function) {
  Arity arity;
  for (const Parameter& parameter : parameters_of(function)) {
    arity.least += parameter.optional ? 0 : 1;
    arity.most = parameter.repeats ? std::numeric_limits<size_t>::max() : arity.most + 1;
  }
  return arity;
}

std::string to_text(const Arity& arity) {
  const auto arguments = [](size_t count) { return counted(count, "argument"); };
  if (arity.least == arity.most) return arity.least == 0 ? "no arguments" : arguments(arity.least);
  if (arity.most == std::numeric_limits<size_t>::max()) {
    return fmt::format("{} or more", arguments(arity.least));
  }
  return fmt::format("{} to {}", arity.least, arguments(arity.most));
}

Value::List converted_arguments(const Function& function, Value::List arguments) {
  const std::vector<Parameter>& parameters = parameters_of(function);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Parameter& parameter = parameters[std::min(i, parameters.size() - 1)];
    if (arguments[i].is_null() && !parameter.null) refuse(i, arguments[i], parameter.type);
    if (parameter.type.kind == Type::Kind::any) continue;
    std::vector<Mismatch> mismatches;
    Value value = convert(arguments[i], parameter.type, mismatches);
    if (!mismatches.empty()) {
      const Mismatch& first = mismatches[0];
      if (first.path.empty()) refuse(i, arguments[i], parameter.type);
      throw ArgumentError(i, fmt::format("at {}: {}", first.path, first.message));
    }
    arguments[i] = std::move(value);
  }
  return arguments;
}

const std::string& text_at(const List& arguments, size_t i) {
  if (const auto* text = arguments[i].as<std::string>()) return *text;
  refuse(i, arguments[i], {Type::Kind::string, {}, {}});
}

Number number_at(const List& arguments, size_t i) {
  if (const auto* number = arguments[i].as<Number>()) return *number;
  refuse(i, arguments[i], {Type::Kind::number, {}, {}});
}

int64_t integer_at(const List& arguments, size_t i, int64_t least, int64_t most) {
  const Number number = number_at(arguments, i);
  if (std::nearbyint(number) != number) {
    throw ArgumentError(i, fmt::format("is {}, not a whole number", short_number_text(number)));
  }
  if (number < static_cast<Number>(least)) {
    throw ArgumentError(i, fmt::format("is {}, less than {}", short_number_text(number), least));
  }
  if (number > static_cast<Number>(most)) {
    throw ArgumentError(i, fmt::format("is {}, more than {}", short_number_text(number), most));
  }
  return static_cast<int64_t>(number);
}

const List& list_at(const List& arguments, size_t i) {
  if (const auto* list = arguments[i].as<List>()) return *list;
  refuse(i, arguments[i], {Type::Kind::tuple, {}, {}});
}

const Object& object_at(const List& arguments, size_t i) {
  if (const auto* object = arguments[i].as<Object>()) return *object;
  refuse(i, arguments[i], {Type::Kind::object, {}, {}});
}

Value list_value(List members) {
  return as_collection(std::move(members), Value::Collection::list);
}

Value as_list(List members) {
  std::vector<Mismatch> mismatches;
  const Type list{Type::Kind::list, {Type{}}, {}};
  Value value = convert(Value(std::move(members)), list, mismatches);
  if (!mismatches.empty()) throw Error(mismatches[0].message);
  return value;
}

}  // namespace slipway::expression
