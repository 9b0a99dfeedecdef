// Checks the names, values and disks of resources.
#include "launcher/google/resource_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/count.h"
#include "common/text.h"
#include "launcher/cluster/model_part.h"
#include "launcher/google/setting_place.h"
#include "launcher/google/value_check.h"

namespace slipway::google {
namespace {

using blueprint::Module;
using expression::Value;
using source::Code;

// The text of an attribute, also one that only the deployment knows; empty without it.
std::string written(const Json& body, const std::string& key) {
  const auto found = body.find(key);
  if (found == body.end() || found->is_null()) return {};
  return found->is_string() ? found->get<std::string>() : found->dump();
}

constexpr size_t most_listed = 100;  // words in one message
constexpr size_t most_shown = 200;   // bytes of a value

std::string both(const Module& first, const Module& second) {
  return &first == &second ? fmt::format("module `{}` makes twice", first.id)
                           : fmt::format("modules `{}` and `{}` both make", first.id, second.id);
}

}  // namespace

void ResourceCheck::check(const Module& module, const std::string& type, const Json& body) {
  // Packer's `googlecompute` is a machine, too.
  if (!type.starts_with("google")) return;
  check_name(module, type, body);
  for (const auto& [attribute, value] : body.items()) {
    check_by_rules(module, "*." + attribute, attribute, value);
  }
  check_values(module, type, body);
  check_machines(module, body);
  check_subnetwork(module, body);
}

// A resource is a machine, or it has a block for the machines of a pool.
void ResourceCheck::check_machines(const Module& module, const Json& body) {
  check_machine(module, body);
  check_disks(module, body);
  const Json pool = body.value("node_config", Json());
  if (!pool.is_object()) return;
  check_machine(module, pool);
  check_disk(module, written(pool, "machine_type"), written(pool, "disk_type"), true);
}

void ResourceCheck::check_name(const Module& module, const std::string& type, const Json& body) {
  if (type.find("_iam_") != type.npos) return check_grant(module, type, body);
  const auto attribute = std::ranges::find_if(
      rules_->names, [&](const std::string& name) { return body.contains(name); });
  if (attribute == rules_->names.end()) return;
  const std::string name = written(body, *attribute);
  const auto own = rules_->scopes_of.find(type);
  std::string key = type + '\n' + name, where;
  for (const std::string& scope : own == rules_->scopes_of.end() ? rules_->scopes : own->second) {
    const std::string value = written(body, scope);
    key += '\n' + value;
    if (!value.empty() && !is_expression(value)) {
      where += fmt::format("{}{} `{}`", where.empty() ? "" : ", ", scope, value);
    }
  }
  const auto [first, second] = two_with(std::move(key), module);
  if (first == nullptr) return;
  // A module makes the names of several resources of one: they all follow from the first.
  std::vector<std::string>& shared = shared_names_[{first, second}];
  if (std::ranges::any_of(shared, [&](const auto& said) { return name.starts_with(said); })) return;
  shared.push_back(name);
  diagnostics_
      .error(Code::duplicate_id, second->id_span,
             fmt::format("{} a `{}` with the name `{}`", both(*first, *second), type, name))
      .other(first == second ? source::Span() : first->id_span, "the other module")
      .help(fmt::format("the cloud has one of each name in a place ({}): set another name for one "
                        "of them",
                        where));
}

// Two equal grants are one in the cloud, so removing one of them would revoke it for both.
void ResourceCheck::check_grant(const Module& module, const std::string& type, const Json& body) {
  Json grant = body;
  grant.erase("depends_on");
  const auto [first, second] = two_with(type + '\n' + grant.dump(), module);
  if (first == nullptr) return;
  diagnostics_
      .error(Code::duplicate_id, second->id_span,
             fmt::format("{} the same grant of `{}` to `{}`", both(*first, *second),
                         written(grant, "role"), written(grant, "member")))
      .other(first == second ? source::Span() : first->id_span, "the other module")
      .help("leave it out in one of them: removing one would revoke the other");
}

// This module and the first module with the same key, in the blueprint's order; nothing if it is
// new.
std::pair<const Module*, const Module*> ResourceCheck::two_with(std::string key,
                                                                const Module& module) {
  const auto [other, fresh] = named_.emplace(std::move(key), &module);
  if (fresh) return {};
  const bool in_order = other->second->id_span.begin <= module.id_span.begin;
  return in_order ? std::pair{other->second, &module} : std::pair{&module, other->second};
}

void ResourceCheck::check_values(const Module& module, const std::string& path, const Json& value) {
  if (value.is_object()) {
    check_by_rules(module, path, path.substr(path.rfind('.') + 1), value);
    blocks_.push_back(&value);
    for (const auto& [key, member] : value.items()) check_values(module, path + "." + key, member);
    blocks_.pop_back();
    return;
  }
  if (value.is_array() && std::ranges::any_of(value, [](const Json& v) { return v.is_object(); })) {
    for (const Json& block : value) check_values(module, path, block);
    return;
  }
  check_by_rules(module, path, path.substr(path.rfind('.') + 1), value);
}

void ResourceCheck::check_by_rules(const Module& module, const std::string& path,
                                   const std::string& attribute, const Json& value) {
  const auto found = rules_->by_attribute.find(path);
  if (found == rules_->by_attribute.end()) return;
  for (const size_t rule : found->second) {
    if (is_for(rules_->rules[rule])) check_value(module, rules_->rules[rule], attribute, value);
  }
}

// The innermost block that has the attribute decides.
bool ResourceCheck::is_for(const ValueRule& rule) const {
  return std::ranges::all_of(rule.when, [&](const auto& condition) {
    const auto& [attribute, values] = condition;
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
      if (!(*block)->contains(attribute)) continue;
      return std::ranges::find(values, written(**block, attribute)) != values.end();
    }
    return false;
  });
}

void ResourceCheck::check_value(const Module& module, const ValueRule& rule,
                                const std::string& attribute, const Json& value) {
  if (value.is_array()) {
    for (const Json& item : value) check_value(module, rule, attribute, item);
    return;
  }
  if (value.is_object()) return check_mapping(module, rule, attribute, value);
  if (!keeps(rule, value)) wrong_value(module, rule, attribute, value);
}

// Labels and the like: every key and every value is checked.
void ResourceCheck::check_mapping(const Module& module, const ValueRule& rule,
                                  const std::string& attribute, const Json& mapping) {
  if (!rule.keys) return;
  const int64_t longest_key = rule.longest_key > 0 ? rule.longest_key : rule.longest;
  size_t together = 0;
  for (const auto& [key, value] : mapping.items()) {
    together += key.size() + (value.is_string() ? value.get_ref<const std::string&>().size() : 0);
    const bool is_known = !is_expression(key);
    if (is_known && (is_too_long(longest_key, key) || !rule.keys.fits_all_of(key))) {
      wrong_value(module, rule, attribute, key);
    } else if (!keeps(rule, value)) {
      wrong_value(module, rule, attribute, value);
    }
  }
  if (rule.longest_together > 0 && together > static_cast<size_t>(rule.longest_together)) {
    report(Code::rule_broken, cluster::place_of(module, attribute),
           fmt::format("`{}` has {} bytes in its keys and values, and {} are the most", attribute,
                       together, rule.longest_together),
           rule.like);
  }
}

void ResourceCheck::wrong_value(const Module& module, const ValueRule& rule,
                                const std::string& attribute, const Json& value) {
  const std::string whole = value.is_string() ? value.get<std::string>() : value.dump();
  const std::string shown =
      whole.size() > most_shown ? slipway::counted(whole.size(), "byte") : "`" + whole + "`";
  const source::Span place = place_of_value(module, attribute, value);
  // Names that a module makes of one input are wrong together.
  if (!said_.emplace(place.begin, rule.is).second) return;
  diagnostics_.error(Code::rule_broken, place, fmt::format("{} is not {}", shown, rule.is))
      .help(meant_by(rule, whole))
      .help(!rule.like.empty()                ? rule.like
            : rule.words.size() > most_listed ? ""
                                              : "use one of: " + slipway::join(rule.words, ", "));
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
  const bool is_encrypted = !body.value("confidential_instance_config", Json()).is_null();
  each(body.value("disk", Json()), [&](const Json& disk) {
    const std::string type = written(disk, "disk_type");
    const bool boots = disk.value("boot", Json()) == true;
    const MachineFamily* family = family_of(machine_type);
    if (!boots && is_encrypted && family != nullptr && is_listed(family->encrypted, type)) return;
    check_disk(module, machine_type, type, boots);
  });
  each(body.value("boot_disk", Json()), [&](const Json& disk) {
    each(disk.value("initialize_params", Json()),
         [&](const Json& made) { check_disk(module, machine_type, written(made, "type"), true); });
  });
}

const MachineFamily* ResourceCheck::family_of(const std::string& machine_type) const {
  const auto family = std::ranges::find_if(rules_->families, [&](const MachineFamily& row) {
    return machine_type.starts_with(row.prefix);
  });
  return family == rules_->families.end() ? nullptr : &*family;
}

void ResourceCheck::check_disk(const Module& module, const std::string& machine_type,
                               const std::string& disk_type, bool boots) {
  if (disk_type.empty() || is_expression(disk_type) || is_expression(machine_type)) return;
  const auto& types = rules_->disk_types;
  if (types.empty()) return;
  if (!is_listed(types, disk_type)) {
    const std::string meant = source::did_you_mean(disk_type, types);
    report(Code::rule_broken, place_of_value(module, "disk_type", disk_type),
           fmt::format("there is no disk type `{}`", disk_type),
           meant.empty() ? fmt::format("disk types are {}", slipway::join(types, ", ")) : meant);
    return;
  }
  const MachineFamily* family = family_of(machine_type);
  if (family == nullptr) return;
  const bool usable = !is_listed(family->not_usable, disk_type);
  if (usable && !(boots && is_listed(family->data_only, disk_type))) return;
  report(Code::rule_broken, place_of_value(module, "disk_type", disk_type),
         fmt::format("`{}` cannot {} a disk of type `{}`", machine_type,
                     usable ? "boot from" : "have", disk_type),
         fmt::format("use `{}`", family->boot));
}

// The input is most likely one with the attribute's name in its own. A name that is longer than any
// input's text is made of the one that it begins with.
source::Span ResourceCheck::place_of_value(const Module& module, const std::string& attribute,
                                           const Json& value) {
  const std::string* found = nullptr;
  const std::string* beginning = nullptr;
  size_t longest = 0;
  for (const auto& [name, setting] : module.settings) {
    if (module.interface->input(name) == nullptr) continue;
    const Value& set = evaluation_.input(module, name);
    const auto* text = set.as<std::string>();
    if (has_value(set, value) || has_item(set, value)) {
      if (found == nullptr || name.find(attribute) != name.npos) found = &name;
    } else if (text != nullptr && value.is_string() && text->size() > longest &&
               value.get_ref<const std::string&>().starts_with(*text)) {
      beginning = &name;
      longest = text->size();
    }
  }
  if (found == nullptr) found = beginning;
  if (found == nullptr) return module.id_span;
  const source::Span exact = place_in(module.settings.at(*found).value, value);
  return exact ? exact : cluster::place_of(module, *found);
}

void ResourceCheck::report(Code code, source::Span place, const std::string& message,
                           const std::string& help) {
  if (!said_.emplace(place.begin, message).second) return;
  diagnostics_.error(code, place, message).help(help);
}

}  // namespace slipway::google
