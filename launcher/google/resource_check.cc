// Checks the names, values and disks of resources.
#include "launcher/google/resource_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "launcher/cluster/model_part.h"

namespace slipway::google {
namespace {

using blueprint::Module;
using expression::Value;
using source::Code;

bool is_expression(const std::string& text) {
  return text.find("${") != text.npos || text.find("%{") != text.npos;
}

// The text of an attribute, also one that only the deployment knows; empty without it.
std::string written(const Json& body, const std::string& key) {
  const auto found = body.find(key);
  if (found == body.end() || found->is_null()) return {};
  return found->is_string() ? found->get<std::string>() : found->dump();
}

// Whether the value is `wanted`, or has it somewhere in it.
bool has_value(const Value& value, const Json& wanted) {
  if (const auto* list = value.as<Value::List>()) {
    return std::ranges::any_of(*list, [&](const Value& item) { return has_value(item, wanted); });
  }
  if (const auto* object = value.as<Value::Object>()) {
    return std::ranges::any_of(
        *object, [&](const auto& member) { return has_value(member.second, wanted); });
  }
  if (const auto* text = value.as<std::string>()) return wanted.is_string() && *text == wanted;
  const auto* number = value.as<Value::Number>();
  return number != nullptr && wanted.is_number() &&
         static_cast<double>(*number) == wanted.get<double>();
}

std::string both(const Module& module, const Module& other) {
  return &module == &other ? fmt::format("module `{}` makes twice", module.id)
                           : fmt::format("modules `{}` and `{}` both make", other.id, module.id);
}

}  // namespace

void ResourceCheck::check(const Module& module, const std::string& type, const Json& body) {
  if (!type.starts_with("google_")) return;
  check_name(module, type, body);
  for (const auto& [attribute, value] : body.items()) {
    const auto everywhere = rules_.by_attribute.find("*." + attribute);
    if (everywhere != rules_.by_attribute.end()) {
      check_value(module, rules_.rules[everywhere->second], value);
    }
    check_values(module, type + "." + attribute, value);
  }
  check_disks(module, body);
}

void ResourceCheck::check_name(const Module& module, const std::string& type, const Json& body) {
  if (type.find("_iam_") != type.npos) return check_grant(module, type, body);
  const auto attribute = std::ranges::find_if(
      rules_.names, [&](const std::string& name) { return body.contains(name); });
  if (attribute == rules_.names.end()) return;
  const std::string name = written(body, *attribute);
  const auto own = rules_.scopes_of.find(type);
  std::string key = type + '\n' + name, where;
  for (const std::string& scope : own == rules_.scopes_of.end() ? rules_.scopes : own->second) {
    const std::string value = written(body, scope);
    key += '\n' + value;
    if (!value.empty() && !is_expression(value)) {
      where += fmt::format("{}{} `{}`", where.empty() ? "" : ", ", scope, value);
    }
  }
  const Module* other = first_with(std::move(key), module);
  if (other == nullptr) return;
  diagnostics_
      .error(Code::duplicate_id, place_of_value(module, name),
             fmt::format("{} a `{}` with the name `{}`", both(module, *other), type, name))
      .other(other == &module ? source::Span() : other->id_span, "the other module")
      .help(fmt::format("the cloud has one of each name in a place ({}): set another name for one "
                        "of them",
                        where));
}

// Two equal grants are one in the cloud, so removing one of them would revoke it for both.
void ResourceCheck::check_grant(const Module& module, const std::string& type, const Json& body) {
  Json grant = body;
  grant.erase("depends_on");
  const Module* other = first_with(type + '\n' + grant.dump(), module);
  if (other == nullptr) return;
  diagnostics_
      .error(Code::duplicate_id, place_of_value(module, grant.value("member", "")),
             fmt::format("{} the same grant of `{}` to `{}`", both(module, *other),
                         written(grant, "role"), written(grant, "member")))
      .other(other == &module ? source::Span() : other->id_span, "the other module")
      .help("leave it out in one of them: removing one would revoke the other");
}

// The module that has the key already; nullptr if it is new.
const Module* ResourceCheck::first_with(std::string key, const Module& module) {
  const auto [other, fresh] = named_.emplace(std::move(key), &module);
  return fresh ? nullptr : other->second;
}

void ResourceCheck::check_values(const Module& module, const std::string& path, const Json& value) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) check_values(module, path + "." + key, member);
    return;
  }
  if (value.is_array() && std::ranges::any_of(value, [](const Json& v) { return v.is_object(); })) {
    for (const Json& block : value) check_values(module, path, block);
    return;
  }
  const auto rule = rules_.by_attribute.find(path);
  if (rule != rules_.by_attribute.end()) check_value(module, rules_.rules[rule->second], value);
}

void ResourceCheck::check_value(const Module& module, const ValueRule& rule, const Json& value) {
  if (value.is_array()) {
    for (const Json& item : value) check_value(module, rule, item);
    return;
  }
  bool fits = true;
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    fits = is_expression(text) || !rule.pattern || std::regex_match(text, *rule.pattern);
  } else if (value.is_number()) {
    const auto number = value.get<double>();
    fits = (!rule.least || number >= static_cast<double>(*rule.least)) &&
           (!rule.most || number <= static_cast<double>(*rule.most));
  }
  if (fits) return;
  const std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
  report(module, value, fmt::format("`{}` is not {}", shown, rule.is), rule.like);
}

void ResourceCheck::check_disks(const Module& module, const Json& body) {
  const std::string machine_type = written(body, "machine_type");
  const auto each = [&](const Json& disks, const auto& take) {
    if (disks.is_array()) {
      for (const Json& disk : disks) take(disk);
    } else if (disks.is_object()) {
      take(disks);
    }
  };
  if (machine_type.empty()) return;
  each(body.value("disk", Json()),
       [&](const Json& disk) { check_disk(module, machine_type, written(disk, "disk_type")); });
  each(body.value("boot_disk", Json()), [&](const Json& disk) {
    each(disk.value("initialize_params", Json()),
         [&](const Json& made) { check_disk(module, machine_type, written(made, "type")); });
  });
}

void ResourceCheck::check_disk(const Module& module, const std::string& machine_type,
                               const std::string& disk_type) {
  if (disk_type.empty() || is_expression(disk_type) || is_expression(machine_type)) return;
  const auto& types = rules_.disk_types;
  if (types.empty()) return;
  if (std::ranges::find(types, disk_type) == types.end()) {
    const std::string meant = source::did_you_mean(disk_type, types);
    report(module, disk_type, fmt::format("there is no disk type `{}`", disk_type),
           meant.empty() ? fmt::format("disk types are {}", fmt::join(types, ", ")) : meant);
    return;
  }
  const auto family = std::ranges::find_if(rules_.families, [&](const MachineFamily& row) {
    return machine_type.starts_with(row.prefix);
  });
  if (family == rules_.families.end() ||
      std::ranges::find(family->not_usable, disk_type) == family->not_usable.end()) {
    return;
  }
  report(module, disk_type,
         fmt::format("`{}` cannot have a disk of type `{}`", machine_type, disk_type),
         fmt::format("use `{}`", family->boot));
}

source::Span ResourceCheck::place_of_value(const Module& module, const Json& value) {
  for (const auto& [name, setting] : module.settings) {
    if (module.interface->input(name) == nullptr) continue;
    if (has_value(evaluation_.input(module, name), value)) return cluster::place_of(module, name);
  }
  return module.id_span;
}

void ResourceCheck::report(const Module& module, const Json& value, const std::string& message,
                           const std::string& help) {
  const source::Span place = place_of_value(module, value);
  if (!said_.emplace(place.begin, message).second) return;
  diagnostics_.error(Code::rule_broken, place, message).help(help);
}

}  // namespace slipway::google
