// Functions for both lists and objects.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "launcher/expression/arguments.h"
#include "launcher/expression/budget.h"
#include "launcher/expression/evaluate.h"
#include "launcher/expression/unicode.h"
#include "launcher/expression/unify.h"

namespace slipway::expression {
namespace {

using Collection = Value::Collection;

Result coalesce(const List& arguments) {
  std::vector<Type> types;
  for (const Value& argument : arguments) types.push_back(type_of(argument));
  const auto type = unify(types);
  if (!type) throw Error("the arguments have no common type");
  for (const Value& argument : arguments) {
    if (argument.is_unknown()) return std::nullopt;
    const auto* text = argument.as<std::string>();
    if (argument.is_null() || (text != nullptr && text->empty())) continue;
    std::vector<Mismatch> mismatches;
    return convert(argument, *type, mismatches);
  }
  throw Error("every argument is null or empty");
}

Result coalescelist(const List& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].is_unknown()) return std::nullopt;
    if (!list_at(arguments, i).empty()) return arguments[i];
  }
  throw Error("every argument is empty");
}

// Whether the number of members is known: unknown members of a set may turn out equal.
bool has_size(const Value& value) {
  const auto* list = value.as<List>();
  return list == nullptr || !value.is_set() || list->size() < 2 || value.is_known();
}

Result length(const List& arguments) {
  const Value& value = arguments[0];
  if (value.is_unknown() || !has_size(value)) return std::nullopt;
  if (const auto* list = value.as<List>()) return static_cast<Number>(list->size());
  if (const auto* object = value.as<Object>()) return static_cast<Number>(object->size());
  if (const auto* text = value.as<std::string>()) {
    return static_cast<Number>(characters(*text).size());
  }
  throw ArgumentError(0, fmt::format("is {}, which has no length", describe(value)));
}

Result keys(const List& arguments) {
  if (arguments[0].is_unknown()) return std::nullopt;
  List out;
  for (const auto& [key, value] : object_at(arguments, 0)) out.emplace_back(key);
  return arguments[0].collection == Collection::map ? list_value(std::move(out))
                                                    : Value(std::move(out));
}

Result values(const List& arguments) {
  if (arguments[0].is_unknown()) return std::nullopt;
  List out;
  for (const auto& [key, value] : object_at(arguments, 0)) out.push_back(value);
  return arguments[0].collection == Collection::map ? list_value(std::move(out))
                                                    : Value(std::move(out));
}

Result lookup(const List& arguments) {
  if (arguments[0].is_unknown() || arguments[1].is_unknown()) return std::nullopt;
  const Object& object = object_at(arguments, 0);
  const std::string& key = text_at(arguments, 1);
  const auto member = object.find(key);
  const bool map = arguments[0].collection == Collection::map;
  if (member == object.end() && arguments.size() < 3) {
    throw ArgumentError(1, fmt::format("is `{}`, but there is no such key", key));
  }
  if (!map || arguments.size() < 3 || object.empty()) {
    return member == object.end() ? arguments[2] : member->second;
  }
  std::vector<Mismatch> mismatches;
  const Value other = convert(arguments[2], type_of(object.begin()->second), mismatches);
  if (!mismatches.empty()) {
    throw ArgumentError(
        2, fmt::format("is {}, but the members have another type", describe(arguments[2])));
  }
  return member == object.end() ? other : member->second;
}

Result merge(const List& arguments) {
  Object out;
  bool maps = !arguments.empty();
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].is_unknown()) return std::nullopt;
    if (arguments[i].is_null()) continue;
    maps = maps && arguments[i].collection == Collection::map;
    for (const auto& [key, value] : object_at(arguments, i)) out.insert_or_assign(key, value);
  }
  // The result of maps of one type is a map.
  std::vector<Type> types;
  for (const auto& [key, value] : out) types.push_back(type_of(value));
  const auto same = [&](const Type& type) {
    return to_text(type) == to_text(types[0]) && type.kind != Type::Kind::object;
  };
  maps = maps && std::all_of(types.begin(), types.end(), same);
  return as_collection(std::move(out), maps ? Collection::map : Collection::none);
}

Result zipmap(const List& arguments) {
  if (!arguments[0].is_known() || arguments[1].is_unknown()) return std::nullopt;
  const List& keys = list_at(arguments, 0);
  const List& values = list_at(arguments, 1);
  if (arguments[1].is_set()) throw ArgumentError(1, "is a set, not a list");
  if (keys.size() != values.size()) {
    throw Error(fmt::format("there are {} keys but {} values", keys.size(), values.size()));
  }
  Object out;
  for (size_t i = 0; i < keys.size(); ++i) out.insert_or_assign(text_at(keys, i), values[i]);
  const bool list = arguments[1].collection == Collection::list;
  return as_collection(std::move(out), list ? Collection::map : Collection::none);
}

Result transpose(const List& arguments) {
  Object out;
  for (const auto& [key, member] : object_at(arguments, 0)) {
    for (const Value& item : *member.as<List>()) {
      const auto* text = item.as<std::string>();
      if (text == nullptr) throw ArgumentError(0, fmt::format("at .{}: null is not a key", key));
      Value& list = out.try_emplace(*text, list_value({})).first->second;
      list.edit<List>()->emplace_back(key);
    }
  }
  return as_collection(std::move(out), Collection::map);
}

template <bool any_of>
Result truth(const List& arguments) {
  if (arguments[0].is_unknown()) return std::nullopt;
  bool known = true;
  for (const Value& item : list_at(arguments, 0)) {
    if (item.is_unknown()) {
      known = false;
    } else if ((item == Value(true)) == any_of) {
      return any_of;
    }
  }
  return known ? Result(!any_of) : std::nullopt;
}

Result contains(const List& arguments) {
  if (arguments[0].is_unknown()) return std::nullopt;
  bool known = true;
  for (const Value& item : list_at(arguments, 0)) {
    const auto same = equal(item, arguments[1]);
    if (same == true) return true;
    known = known && same;
  }
  return known ? Result(false) : std::nullopt;
}

// one(list): its only member, or null when it is empty.
Result one(const List& arguments) {
  if (arguments[0].is_unknown() || !has_size(arguments[0])) return std::nullopt;
  const List& list = list_at(arguments, 0);
  if (list.size() > 1) throw ArgumentError(0, fmt::format("has {} members", list.size()));
  return list.empty() ? Value() : list[0];
}

constexpr std::array collection_table = std::to_array<Function>({
    {"alltrue", "list(bool)", truth<false>, Takes::shapes},
    {"anytrue", "list(bool)", truth<true>, Takes::shapes},
    {"coalesce", "any|null, any|null...", coalesce, Takes::shapes},
    {"coalescelist", "any, any...", coalescelist, Takes::shapes},
    {"contains", "any, any", contains, Takes::shapes},
    {"keys", "any", keys, Takes::shapes},
    {"length", "any", length, Takes::shapes},
    {"lookup", "any, string, any|null?", lookup, Takes::shapes},
    {"merge", "any|null...", merge, Takes::shapes},
    {"one", "any", one, Takes::shapes},
    {"transpose", "map(list(string))", transpose},
    {"values", "any", values, Takes::shapes},
    {"zipmap", "list(string), any", zipmap, Takes::shapes},
});

}  // namespace

std::span<const Function> collection_functions() {
  return collection_table;
}

}  // namespace slipway::expression
