// Parses types and converts values to them.
#include "launcher/expression/type.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "common/text.h"
#include "launcher/expression/evaluate.h"
#include "launcher/expression/unify.h"
#include "launcher/source/diagnostics.h"

namespace slipway::expression {
namespace {

using source::Code;
using Kind = Type::Kind;

struct Name {
  std::string_view text;
  Kind kind;
};
constexpr std::array<Name, 4> simple{{{"any", Kind::any},
                                      {"bool", Kind::boolean},
                                      {"number", Kind::number},
                                      {"string", Kind::string}}};
constexpr std::array<Name, 5> made{{{"list", Kind::list},
                                    {"set", Kind::set},
                                    {"map", Kind::map},
                                    {"tuple", Kind::tuple},
                                    {"object", Kind::object}}};

template <size_t n>
const Name* find(const std::array<Name, n>& names, std::string_view text) {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [text](const Name& name) { return name.text == text; });
  return found == names.end() ? nullptr : &*found;
}

[[noreturn]] void not_a_type(const Expression& expression) {
  throw ExpressionError(Code::expression_syntax, expression.span,
                        fmt::format("`{}` is not a type", to_hcl(expression)));
}

Type from_tree(const Expression& expression);

Type::Attribute attribute(const ObjectItem& item) {
  const auto* key = item.key->as<Literal>();
  const auto* name = key == nullptr ? nullptr : key->value.as<std::string>();
  if (name == nullptr) not_a_type(*item.key);
  const auto* call = item.value->as<Call>();
  if (call == nullptr || call->function != "optional") {
    return {*name, from_tree(*item.value), false, {}};
  }
  if (call->arguments.empty() || call->arguments.size() > 2) not_a_type(*item.value);
  Type::Attribute attribute{*name, from_tree(*call->arguments[0]), true, {}};
  if (call->arguments.size() == 2) {
    attribute.default_value = evaluate(*call->arguments[1], EmptyScope());
  }
  return attribute;
}

Type from_tree(const Expression& expression) {
  if (const auto* word = expression.as<Traversal>(); word && !word->base && word->steps.empty()) {
    if (const Name* name = find(simple, word->root)) return {name->kind, {}, {}};
    if (word->root == "list" || word->root == "map") {  // Terraform's legacy short forms
      return {find(made, word->root)->kind, {Type{}}, {}};
    }
    not_a_type(expression);
  }
  const auto* call = expression.as<Call>();
  const Name* name = call == nullptr ? nullptr : find(made, call->function);
  if (name == nullptr || call->arguments.size() != 1) not_a_type(expression);
  Type type{name->kind, {}, {}};
  if (type.kind == Kind::object) {
    const auto* object = call->arguments[0]->as<ObjectExpression>();
    if (object == nullptr) not_a_type(expression);
    for (const ObjectItem& item : object->items) type.attributes.push_back(attribute(item));
  } else if (type.kind == Kind::tuple) {
    const auto* tuple = call->arguments[0]->as<Tuple>();
    if (tuple == nullptr) not_a_type(expression);
    for (const ExpressionPtr& item : tuple->items) type.elements.push_back(from_tree(*item));
  } else {
    type.elements.push_back(from_tree(*call->arguments[0]));
  }
  return type;
}

class Converter {
 public:
  explicit Converter(std::vector<Mismatch>& mismatches) : mismatches_(mismatches) {}

  Value convert(const Value& value, const Type& type) {
    if (value.is_null() || value.is_unknown()) return value;
    Value out = plain(value, type);
    out.sensitive = value.sensitive;
    return out;
  }

 private:
  Value plain(const Value& value, const Type& type) {
    switch (type.kind) {
      case Kind::any:
        return value;
      case Kind::boolean:
        return boolean(value, type);
      case Kind::number:
        return number(value, type);
      case Kind::string:
        return string(value, type);
      case Kind::list:
      case Kind::set:
        return list(value, type);
      case Kind::tuple:
        return tuple(value, type);
      case Kind::map:
        return map(value, type);
      case Kind::object:
        return object(value, type);
    }
    return value;
  }

  Value mismatch(const Value& value, const Type& type) {
    std::string seen(describe(value));
    if (const auto text = text_of(value); text && text->size() <= 40) {
      seen = fmt::format("`{}`", *text);
    }
    mismatches_.push_back(
        {"", fmt::format("{} is not {}", seen, with_article(type)), how_to_write(value, type)});
    return {};
  }

  static std::string how_to_write(const Value& value, const Type& type) {
    const bool list = type.kind == Kind::list || type.kind == Kind::set;
    if (type.kind == Kind::boolean) return "write `true` or `false`";
    if (!list) return {};
    if (value.as<Value::Object>() != nullptr) return "each item of a list begins with `- `";
    return text_of(value) ? "a list of one value is written `[…]`" : "";
  }

  static std::string with_article(const Type& type) {
    const std::string text = to_text(type);
    return fmt::format("{} {}", text.starts_with("object") || text.starts_with("any") ? "an" : "a",
                       text == "bool" ? "boolean" : text);
  }

  Value boolean(const Value& value, const Type& type) {
    const auto boolean = bool_of(value);
    return boolean ? Value(*boolean) : mismatch(value, type);
  }

  Value number(const Value& value, const Type& type) {
    const auto number = number_of(value);
    return number ? Value(*number) : mismatch(value, type);
  }

  Value string(const Value& value, const Type& type) {
    const auto text = text_of(value);
    return text ? Value(*text) : mismatch(value, type);
  }

  Value list(const Value& value, const Type& type) {
    const auto* items = value.as<Value::List>();
    if (items == nullptr) return mismatch(value, type);
    Value::List out;
    for (size_t i = 0; i < items->size(); ++i) {
      out.push_back(within([i] { return fmt::format("[{}]", i); }, (*items)[i], type.elements[0]));
    }
    if (const auto common = common_type(out, type.elements[0])) {
      for (Value& item : out) item = convert(item, *common);
    }
    if (type.kind == Kind::set) return make_set(std::move(out));
    return as_collection(std::move(out), Value::Collection::list);
  }

  // The common type of the members of a list(any); nothing if they need no conversion.
  std::optional<Type> common_type(const Value::List& members, const Type& wanted) {
    if (!has_any(wanted) || members.empty()) return std::nullopt;
    std::vector<Type> types;
    for (const Value& member : members) types.push_back(type_of(member));
    std::optional<Type> common = unify(types);
    if (!common) mismatches_.push_back({"", "the members have no common type", {}});
    return common;
  }

  static bool has_any(const Type& type) {
    return type.kind == Kind::any ||
           std::any_of(type.elements.begin(), type.elements.end(), has_any) ||
           std::any_of(type.attributes.begin(), type.attributes.end(),
                       [](const Type::Attribute& attribute) { return has_any(attribute.type); });
  }

  Value tuple(const Value& value, const Type& type) {
    const auto* items = value.as<Value::List>();
    if (items == nullptr || items->size() != type.elements.size()) return mismatch(value, type);
    Value::List out;
    for (size_t i = 0; i < items->size(); ++i) {
      out.push_back(within([i] { return fmt::format("[{}]", i); }, (*items)[i], type.elements[i]));
    }
    return out;
  }

  Value map(const Value& value, const Type& type) {
    const auto* members = value.as<Value::Object>();
    if (members == nullptr) return mismatch(value, type);
    Value::Object out;
    for (const auto& [key, member] : *members) {
      out.insert_or_assign(key,
                           within([&key = key] { return "." + key; }, member, type.elements[0]));
    }
    Value::List list;
    for (const auto& [key, member] : out) list.push_back(member);
    if (const auto common = common_type(list, type.elements[0])) {
      for (auto& [key, member] : out) member = convert(member, *common);
    }
    return as_collection(std::move(out), Value::Collection::map);
  }

  Value object(const Value& value, const Type& type) {
    const auto* members = value.as<Value::Object>();
    if (members == nullptr) return mismatch(value, type);
    report_missing(*members, type);
    Value::Object out;
    for (const Type::Attribute& attribute : type.attributes) {
      const auto member = members->find(attribute.name);
      const bool absent = member == members->end();
      const bool take_default = absent || (attribute.optional && member->second.is_null());
      const Value& given = take_default ? attribute.default_value : member->second;
      out.insert_or_assign(attribute.name,
                           within([&] { return "." + attribute.name; }, given, attribute.type));
    }
    return out;
  }

  // In one message, but for attributes that may be there, misspelled.
  void report_missing(const Value::Object& members, const Type& type) {
    std::vector<std::string> missing;
    for (const Type::Attribute& attribute : type.attributes) {
      if (attribute.optional || members.contains(attribute.name)) continue;
      const std::string name = "`" + attribute.name + "`";
      const std::string hint = meant_for(attribute.name, members, type);
      if (hint.empty()) {
        missing.push_back(name);
      } else {
        mismatches_.push_back({"", fmt::format("the attribute {} is missing", name), hint});
      }
    }
    if (missing.empty()) return;
    const bool one = missing.size() == 1;
    mismatches_.push_back({"", fmt::format("the attribute{} {} {} missing", one ? "" : "s",
                                           slipway::join(missing, ", "), one ? "is" : "are")});
  }

  // A hint about a member that may be the missing attribute misspelled.
  static std::string meant_for(const std::string& missing, const Value::Object& members,
                               const Type& type) {
    for (const auto& member : members) {
      const std::string& name = member.first;
      const bool known = std::any_of(type.attributes.begin(), type.attributes.end(),
                                     [&](const auto& attribute) { return attribute.name == name; });
      if (!known && !source::did_you_mean(name, std::vector{missing}).empty()) {
        return fmt::format("it has an unknown attribute `{}`", name);
      }
    }
    return {};
  }

  // Prepends a step to the paths of the mismatches found in a part; `step` returns its text.
  template <class Step>
  Value within(Step step, const Value& value, const Type& type) {
    const size_t before = mismatches_.size();
    Value converted = convert(value, type);
    for (size_t i = before; i < mismatches_.size(); ++i) {
      mismatches_[i].path.insert(0, step());
    }
    return converted;
  }

  std::vector<Mismatch>& mismatches_;
};

}  // namespace

Type parse_type(const Located& text) {
  return from_tree(*parse(text));
}

Type parse_type(std::string_view text) {
  return parse_type(Located{text, {}});
}

std::string to_text(const Type& type) {
  const Name* found = find(simple, "any");
  for (const Name& name : simple) found = name.kind == type.kind ? &name : found;
  for (const Name& name : made) found = name.kind == type.kind ? &name : found;
  if (type.kind == Kind::object) return "object({…})";
  if (type.kind == Kind::tuple) return "tuple([…])";
  return type.elements.empty() ? std::string(found->text)
                               : fmt::format("{}({})", found->text, to_text(type.elements[0]));
}

Value convert(const Value& value, const Type& type, std::vector<Mismatch>& mismatches) {
  return Converter(mismatches).convert(value, type);
}

bool can_become(const Type& from, const Type& to) {
  using Kind = Type::Kind;
  const auto is_list = [](Kind kind) {
    return kind == Kind::list || kind == Kind::set || kind == Kind::tuple;
  };
  const auto is_mapping = [](Kind kind) { return kind == Kind::map || kind == Kind::object; };
  if (from.kind == Kind::any || to.kind == Kind::any) return true;
  if (is_list(from.kind) || is_list(to.kind)) {
    if (!is_list(from.kind) || !is_list(to.kind)) return false;
    const bool one_each = from.kind != Kind::tuple && to.kind != Kind::tuple;
    return !one_each || can_become(from.elements[0], to.elements[0]);
  }
  if (is_mapping(from.kind) || is_mapping(to.kind)) {
    if (!is_mapping(from.kind) || !is_mapping(to.kind)) return false;
    const bool one_each = from.kind == Kind::map && to.kind == Kind::map;
    return !one_each || can_become(from.elements[0], to.elements[0]);
  }
  const bool number_and_boolean = (from.kind == Kind::number && to.kind == Kind::boolean) ||
                                  (from.kind == Kind::boolean && to.kind == Kind::number);
  return !number_and_boolean;
}

}  // namespace slipway::expression
