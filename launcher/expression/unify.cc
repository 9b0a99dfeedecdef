// The types of values, and their common type.
#include "launcher/expression/unify.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "launcher/expression/evaluate.h"

namespace slipway::expression {
namespace {

using Kind = Type::Kind;
using Collection = Value::Collection;
using Types = std::vector<Type>;

bool is_scalar(const Type& type) {
  return type.kind == Kind::boolean || type.kind == Kind::number || type.kind == Kind::string;
}

bool all_of(const Types& types, std::initializer_list<Kind> kinds) {
  return std::all_of(types.begin(), types.end(), [&](const Type& type) {
    return std::find(kinds.begin(), kinds.end(), type.kind) != kinds.end();
  });
}

Type of_elements(Kind kind, const Value::List& list) {
  Types types;
  for (const Value& item : list) types.push_back(type_of(item));
  return {kind, {unify(types).value_or(Type{})}, {}};
}

// The types of the parts: members of lists and maps, attributes of objects.
Types members(const Types& types) {
  Types out;
  for (const Type& type : types) {
    out.insert(out.end(), type.elements.begin(), type.elements.end());
    for (const Type::Attribute& attribute : type.attributes) out.push_back(attribute.type);
  }
  return out;
}

std::optional<Type> collection_of(Kind kind, const Types& members) {
  std::optional<Type> member = unify(members);
  if (!member) return std::nullopt;
  return Type{kind, {*std::move(member)}, {}};
}

std::optional<Type> unify_tuples(const Types& types) {
  const size_t size = types[0].elements.size();
  const bool alike = std::all_of(types.begin(), types.end(),
                                 [&](const Type& type) { return type.elements.size() == size; });
  if (!alike) return collection_of(Kind::list, members(types));
  Type out{Kind::tuple, {}, {}};
  for (size_t i = 0; i < size; ++i) {
    Types column;
    for (const Type& type : types) column.push_back(type.elements[i]);
    std::optional<Type> element = unify(column);
    if (!element) return collection_of(Kind::list, members(types));
    out.elements.push_back(*std::move(element));
  }
  return out;
}

std::optional<Type> unify_objects(const Types& types) {
  const auto& first = types[0].attributes;
  const bool alike = std::all_of(types.begin(), types.end(), [&](const Type& type) {
    return std::equal(type.attributes.begin(), type.attributes.end(), first.begin(), first.end(),
                      [](const auto& a, const auto& b) { return a.name == b.name; });
  });
  if (!alike) return collection_of(Kind::map, members(types));
  Type out{Kind::object, {}, {}};
  for (size_t i = 0; i < first.size(); ++i) {
    Types column;
    for (const Type& type : types) column.push_back(type.attributes[i].type);
    std::optional<Type> attribute = unify(column);
    if (!attribute) return std::nullopt;
    out.attributes.push_back({first[i].name, *std::move(attribute), false, {}});
  }
  return out;
}

// The bytes by which Terraform orders members of sets that are not scalars.
void append_order(const Value& value, std::string& out) {
  if (value.is_null()) {
    out += '~';
  } else if (const auto* boolean = value.as<bool>()) {
    out += *boolean ? 'T' : 'F';
  } else if (const auto* text = value.as<std::string>()) {
    out += to_hcl(*to_expression(Value(*text)));
  } else if (const auto* list = value.as<Value::List>()) {
    const bool tuple = value.collection == Collection::none;
    out += tuple ? '<' : '[';
    for (const Value& item : *list) {
      append_order(item, out);
      out += ';';
    }
    out += tuple ? '>' : ']';
  } else if (const auto* object = value.as<Value::Object>()) {
    const bool map = value.collection == Collection::map;
    out += map ? '{' : '<';
    for (const auto& [key, member] : *object) {
      if (map) out += to_hcl(*to_expression(Value(key))) + ':';
      append_order(member, out);
      out += ';';
    }
    out += map ? '}' : '>';
  } else {
    out += text_of(value).value_or("?");
  }
}

bool before(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return !a.is_null() && b.is_null();
  if (a.data.index() == b.data.index()) {
    if (const auto* text = a.as<std::string>()) return *text < *b.as<std::string>();
    if (const auto* number = a.as<Value::Number>()) return *number < *b.as<Value::Number>();
    if (const auto* boolean = a.as<bool>()) return *boolean < *b.as<bool>();
  }
  std::string left, right;
  append_order(a, left);
  append_order(b, right);
  return left < right;
}

// Two values differ as soon as one part differs; otherwise, an unknown part makes the result
// unknown.
template <class Next>
std::optional<bool> all_equal(size_t count, Next next) {
  std::optional<bool> whole = true;
  for (size_t i = 0; i < count; ++i) {
    const std::optional<bool> part = next(i);
    if (part == false) return false;
    if (!part) whole = std::nullopt;
  }
  return whole;
}

}  // namespace

Type type_of(const Value& value) {
  if (value.as<bool>() != nullptr) return {Kind::boolean, {}, {}};
  if (value.as<Value::Number>() != nullptr) return {Kind::number, {}, {}};
  if (value.as<std::string>() != nullptr) return {Kind::string, {}, {}};
  if (const auto* list = value.as<Value::List>()) {
    if (value.collection == Collection::list) return of_elements(Kind::list, *list);
    if (value.collection == Collection::set) return of_elements(Kind::set, *list);
    Type type{Kind::tuple, {}, {}};
    for (const Value& item : *list) type.elements.push_back(type_of(item));
    return type;
  }
  if (const auto* object = value.as<Value::Object>()) {
    if (value.collection == Collection::map) {
      Value::List list;
      for (const auto& [key, member] : *object) list.push_back(member);
      return of_elements(Kind::map, list);
    }
    Type type{Kind::object, {}, {}};
    for (const auto& [key, member] : *object) {
      type.attributes.push_back({key, type_of(member), false, {}});
    }
    return type;
  }
  return {};
}

std::optional<Type> unify(const Types& all) {
  Types types;
  for (const Type& type : all) {
    if (type.kind != Kind::any) types.push_back(type);
  }
  if (types.empty()) return Type{};
  if (std::all_of(types.begin(), types.end(), is_scalar)) {
    const auto is_first = [&](const Type& type) { return type.kind == types[0].kind; };
    if (std::all_of(types.begin(), types.end(), is_first)) return types[0];
    const auto is_string = [](const Type& type) { return type.kind == Kind::string; };
    if (std::none_of(types.begin(), types.end(), is_string)) return std::nullopt;
    return Type{Kind::string, {}, {}};
  }
  if (all_of(types, {Kind::tuple})) return unify_tuples(types);
  if (all_of(types, {Kind::object})) return unify_objects(types);
  if (all_of(types, {Kind::set})) return collection_of(Kind::set, members(types));
  if (all_of(types, {Kind::list, Kind::set, Kind::tuple})) {
    return collection_of(Kind::list, members(types));
  }
  if (all_of(types, {Kind::map, Kind::object})) return collection_of(Kind::map, members(types));
  return std::nullopt;
}

std::string describe(const Type& type) {
  switch (type.kind) {
    case Kind::any:
      return "a value";
    case Kind::boolean:
      return "a boolean";
    case Kind::object:
      return "an object";
    case Kind::tuple:
      return "a list";
    case Kind::list:
    case Kind::set:
    case Kind::map: {
      const std::string_view whole = type.kind == Kind::list  ? "a list"
                                     : type.kind == Kind::set ? "a set"
                                                              : "a map";
      const Type& element = type.elements[0];
      if (is_scalar(element)) {
        return fmt::format("{} of {}s", whole, describe(element).substr(2));
      }
      return std::string(whole);
    }
    default:
      return "a " + to_text(type);
  }
}

Value make_set(Value::List members) {
  const auto known = [](const Value& value) { return value.is_known(); };
  if (std::all_of(members.begin(), members.end(), known)) {
    std::sort(members.begin(), members.end(), before);
    members.erase(std::unique(members.begin(), members.end()), members.end());
  }
  return as_collection(std::move(members), Collection::set);
}

std::optional<bool> equal(const Value& a, const Value& b) {
  if (a.is_unknown() || b.is_unknown()) return std::nullopt;
  if (a.data.index() != b.data.index() || a.collection != b.collection) return false;
  if (const auto* left = a.as<Value::List>()) {
    const auto& right = *b.as<Value::List>();
    if (a.is_set() && !(a.is_known() && b.is_known())) return std::nullopt;
    if (left->size() != right.size()) return false;
    return all_equal(right.size(), [&](size_t i) { return equal((*left)[i], right[i]); });
  }
  if (const auto* left = a.as<Value::Object>()) {
    const auto& right = *b.as<Value::Object>();
    if (left->size() != right.size()) return false;
    auto at = left->begin();
    auto other = right.begin();
    return all_equal(right.size(), [&](size_t) -> std::optional<bool> {
      const auto& [key, member] = *at++;
      const auto& [other_key, other_member] = *other++;
      return key != other_key ? std::optional(false) : equal(member, other_member);
    });
  }
  return a == b;
}

}  // namespace slipway::expression
