// The nodesets of TPUs in a blueprint.
#include "launcher/cluster/tpu_nodesets.h"

#include <fmt/core.h>

#include <algorithm>

namespace slipway::cluster {
namespace {

using blueprint::Module;
using expression::Value;

// The text that a value is, or a member of it; empty if it is not known.
std::string known_text(const Value& value, const std::string& member = {}) {
  if (!member.empty()) {
    const auto* object = value.as<Value::Object>();
    if (object == nullptr) return {};
    const auto found = object->find(member);
    return found == object->end() ? std::string() : known_text(found->second);
  }
  const auto* text = value.as<std::string>();
  return text == nullptr ? std::string() : *text;
}

TpuNodeset nodeset_of(blueprint::Evaluation& evaluation, const Module& module,
                      const SliceSettings& settings, const TpuTable& table) {
  TpuNodeset made;
  made.type = known_text(evaluation.input(module, settings.type));
  if (!made.type.empty()) return made;
  const Value& config = evaluation.input(module, settings.config);
  const std::string topology = known_text(config, "topology");
  const auto sides = tpu_sides(topology);
  const auto generation =
      std::ranges::find(table.generations, known_text(config, "version"), &TpuGeneration::version);
  if (!sides || generation == table.generations.end()) return made;
  made.topology = topology;
  made.type =
      fmt::format("{}-{}", generation->name, tpu_chips(*sides) * generation->units_per_chip);
  return made;
}

// Without a machine type if the module makes no nodesets, or the type is not known.
Nodeset plain_nodeset(blueprint::Evaluation& evaluation, const Module& module,
                      const PlainSettings& settings) {
  Nodeset made;
  made.id = module.id;
  if (module.interface->path != settings.module) return made;
  const auto count = [&](const std::string& input) {
    const auto number = expression::number_of(evaluation.input(module, input));
    return number ? static_cast<int64_t>(*number) : 0;
  };
  made.name = known_text(evaluation.input(module, settings.name));
  made.machine.machine_type = known_text(evaluation.input(module, settings.machine_type));
  made.node_count_static = count(settings.static_count);
  made.node_count_dynamic_max = count(settings.dynamic_count);
  return made;
}

std::vector<const Module*> known_modules(const blueprint::Evaluation& evaluation) {
  std::vector<const Module*> modules;
  for (const blueprint::Group& group : evaluation.deployment().groups) {
    for (const Module& module : group.modules) {
      if (module.interface != nullptr) modules.push_back(&module);
    }
  }
  return modules;
}

}  // namespace

std::vector<TpuNodeset> tpu_nodesets(blueprint::Evaluation& evaluation, const TpuTable& table) {
  const std::vector<const Module*> modules = known_modules(evaluation);
  std::vector<TpuNodeset> made;
  for (const Module* module : modules) {
    const auto settings =
        std::ranges::find(table.slices, module->interface->path, &SliceSettings::module);
    if (settings == table.slices.end()) continue;
    TpuNodeset nodeset = nodeset_of(evaluation, *module, *settings, table);
    if (nodeset.type.empty()) continue;
    nodeset.name = known_text(evaluation.input(*module, settings->name));
    nodeset.place = module->id_span;
    for (const std::string& input : settings->counts) {
      const auto count = expression::number_of(evaluation.input(*module, input));
      nodeset.machines += count ? static_cast<int64_t>(*count) : 0;
    }
    for (const Module* user : modules) {
      const bool uses =
          std::ranges::find(user->uses, module->id, &blueprint::Use::module) != user->uses.end();
      if (!uses || user->interface->input(settings->partition) == nullptr) continue;
      nodeset.partition = known_text(evaluation.input(*user, settings->partition));
      nodeset.is_default = evaluation.input(*user, settings->is_default) == Value(true);
      made.push_back(nodeset);
    }
  }
  return made;
}

std::vector<PlainPartition> partitions_without_tpus(blueprint::Evaluation& evaluation,
                                                    const TpuTable& table) {
  std::vector<PlainPartition> made;
  const std::vector<TpuNodeset> with = tpu_nodesets(evaluation, table);
  for (const Module* module : known_modules(evaluation)) {
    const bool is_partition = std::ranges::any_of(table.slices, [&](const SliceSettings& settings) {
      return module->interface->input(settings.partition) != nullptr &&
             module->interface->input(settings.is_default) != nullptr;
    });
    if (!is_partition) continue;
    const std::string name = known_text(evaluation.input(*module, table.slices.front().partition));
    if (std::ranges::find(with, name, &TpuNodeset::partition) != with.end()) continue;
    made.push_back({name, {}, module->id_span});
    for (const blueprint::Use& use : module->uses) {
      const Module* used = evaluation.deployment().find(use.module).module;
      if (used == nullptr || used->interface == nullptr) continue;
      Nodeset nodeset = plain_nodeset(evaluation, *used, table.plain);
      if (!nodeset.machine.machine_type.empty()) made.back().nodesets.push_back(std::move(nodeset));
    }
  }
  return made;
}

}  // namespace slipway::cluster
