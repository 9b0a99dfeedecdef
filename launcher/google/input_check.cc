// Checks settings by the names of their inputs, also those of modules without resources of ours.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "launcher/google/resource_check.h"
#include "launcher/google/value_check.h"

namespace slipway::google {

using blueprint::Module;
using expression::Value;
using source::Code;

void ResourceCheck::check_inputs(const Module& module) {
  for (const auto& [name, setting] : module.settings) {
    const modules::Input* input = module.interface->input(name);
    if (input == nullptr) continue;
    const Value& value = evaluation_.input(module, name);
    if (value == input->default_value) continue;
    const source::Span place = setting.value->span ? setting.value->span : setting.span;
    if (name.ends_with("machine_type") && machines_ != nullptr && machines_->complete) {
      if (const auto* type = value.as<std::string>()) check_machine_type(*type, place);
    }
    for (const InputRule& rule : rules_->inputs) {
      if (rule.is_for(name)) check_input(rule.value, value, place);
    }
  }
}

void ResourceCheck::check_input(const ValueRule& rule, const Value& value, source::Span place) {
  if (const auto* list = value.as<Value::List>()) {
    for (const Value& item : *list) check_input(rule, item, place);
    return;
  }
  if (value.is_unknown() || value.is_null()) return;
  const Json plain = to_terraform(value);
  if (keeps(rule, plain) || !said_.emplace(place.begin, rule.is).second) return;
  report(Code::rule_broken, place,
         fmt::format("`{}` is not {}", plain.is_string() ? plain.get<std::string>() : plain.dump(),
                     rule.is),
         rule.like);
}

}  // namespace slipway::google
