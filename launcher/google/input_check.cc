// Checks settings by the names of their inputs, also those of modules without resources of ours.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "launcher/google/resource_check.h"
#include "launcher/google/setting_place.h"
#include "launcher/google/value_check.h"

namespace slipway::google {

using blueprint::Module;
using expression::Type;
using expression::Value;
using source::Code;

void ResourceCheck::check_inputs(const Module& module) {
  for (const auto& [name, setting] : module.settings) {
    const modules::Input* input = module.interface->input(name);
    // What comes from a module's output was checked where the module gets it.
    if (input == nullptr || setting.origin == blueprint::Origin::used) continue;
    const Value& value = evaluation_.input(module, name);
    if (value == input->default_value) continue;
    if (name.ends_with("machine_type") && machines_ != nullptr && machines_->complete) {
      if (const auto* type = value.as<std::string>()) check_machine_type(*type, setting.place());
    }
    check_input(name, value, input->type, setting);
  }
}

// The attributes of objects have paths: service_account.scopes. Keys of maps are the user's own.
void ResourceCheck::check_input(const std::string& path, const Value& value, const Type& type,
                                const blueprint::Setting& setting) {
  static const Type any;
  if (const auto* list = value.as<Value::List>()) {
    const Type& of_items = type.elements.size() == 1 ? type.elements[0] : any;
    for (const Value& item : *list) check_input(path, item, of_items, setting);
    return;
  }
  if (const auto* object = value.as<Value::Object>()) {
    for (const Type::Attribute& attribute : type.attributes) {
      const auto member = object->find(attribute.name);
      if (member == object->end() || member->second == attribute.default_value) continue;
      check_input(path + "." + attribute.name, member->second, attribute.type, setting);
    }
    return;
  }
  if (value.is_unknown() || value.is_null()) return;
  Json plain;
  for (const InputRule& rule : rules_->inputs) {
    if (!rule.is_for(path)) continue;
    if (plain.is_null()) plain = to_terraform(value);
    if (keeps(rule.value, plain)) continue;
    source::Span place = setting.place();
    if (path.find('.') != path.npos || setting.value->as<expression::Tuple>() != nullptr) {
      const std::string attribute = path.substr(path.rfind('.') + 1);
      source::Span exact = place_of(attribute, setting.value, plain);
      if (!exact) exact = place_in(setting.value, plain);
      if (exact) place = exact;
    }
    if (!said_.emplace(place.begin, rule.value.is).second) continue;
    const std::string text = plain.is_string() ? plain.get<std::string>() : plain.dump();
    const std::string message = fmt::format("`{}` is not {}", text, rule.value.is);
    (rule.is_warning ? diagnostics_.warning(Code::rule_broken, place, message)
                     : diagnostics_.error(Code::rule_broken, place, message))
        .help(meant_by(rule.value, text))
        .help(rule.value.like);
  }
}

}  // namespace slipway::google
