// Computes the members of resources.
#include "launcher/blueprint/resource_set.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "launcher/expression/evaluate.h"
#include "launcher/modules/becomes.h"

namespace slipway::blueprint {
namespace {

using expression::ExpressionError;
using expression::ExpressionPtr;
using expression::Unknown;
using expression::Value;
using source::Code;
using Member = ResourceSet::Member;
using Shape = ResourceSet::Shape;

// Terraform allows letters, digits, `_` and `-` in a name.
std::string as_name(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](unsigned char c) { return (std::isalnum(c) == 0 || c >= 128) && c != '_' && c != '-'; },
      '-');
  return text;
}

// The main resource has the name of the module.
std::string base_name(const std::string& module_id, const modules::Resource& resource) {
  return resource.name == "this" ? module_id : module_id + "_" + resource.name;
}

Member member(const std::string& base, Value key, const Value& value) {
  const std::string name = base + "_" + as_name(expression::text_of(key).value_or(""));
  return {name, std::move(key), value};
}

[[noreturn]] void fail(const ExpressionPtr& expression, const std::string& message) {
  throw ExpressionError(Code::cannot_evaluate, expression ? expression->span : source::Span(),
                        message);
}

bool is_there(const modules::Resource& resource, const Value& when) {
  if (when.is_unknown()) {
    fail(resource.when,
         fmt::format("`when` of `{}` must be known before deployment", resource.reference()));
  }
  const std::optional<bool> there = expression::bool_of(when);
  if (!there) {
    fail(resource.when,
         fmt::format("`when` must be true or false, but this is {}", describe(when)));
  }
  return *there;
}

}  // namespace

ResourceSet make_resource_set(const std::string& module_id, const modules::Resource& resource,
                              const Value& when, const Value& for_each) {
  const std::string base = base_name(module_id, resource);
  const bool there = is_there(resource, when);
  if (!resource.for_each) {
    if (!there) return {Shape::absent, {}};
    return {Shape::one, {{base}}};
  }
  ResourceSet set{Shape::list, {}};
  if (!there || for_each.is_null()) return set;
  if (const auto* list = for_each.as<Value::List>()) {
    for (const Value& item : *list) {
      set.members.push_back(
          member(base, Value(static_cast<Value::Number>(set.members.size())), item));
    }
    return set;
  }
  if (const auto* object = for_each.as<Value::Object>()) {
    set.shape = Shape::map;
    for (const auto& [key, value] : *object) set.members.push_back(member(base, key, value));
    return set;
  }
  fail(resource.for_each,
       for_each.is_unknown()
           ? fmt::format("`for_each` of `{}` must be known before deployment", resource.reference())
           : fmt::format("`for_each` must be a list or a mapping, but this is {}",
                         describe(for_each)));
}

Value meaning(const modules::Resource& resource, const ResourceSet& set) {
  const auto reference = [&](const std::string& name) -> Value {
    if (resource.looked_up) {
      return Unknown{expression::reference("data", {resource.type, name}), {}};
    }
    const bool called = resource.type == modules::toolkit_call_type;
    return Unknown{expression::reference(called ? "module" : resource.type, {name}), {}};
  };
  switch (set.shape) {
    case Shape::absent:
      return {};
    case Shape::one:
      return reference(set.members[0].name);
    case Shape::list: {
      Value::List list;
      for (const Member& member : set.members) list.push_back(reference(member.name));
      return list;
    }
    case Shape::map: {
      Value::Object object;
      for (const Member& member : set.members) {
        object.emplace(*member.key.as<std::string>(), reference(member.name));
      }
      return object;
    }
    case Shape::open:
      break;
  }
  return reference(resource.name);
}

}  // namespace slipway::blueprint
