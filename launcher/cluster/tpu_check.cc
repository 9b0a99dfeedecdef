// Checks settings that describe slices of TPUs.
#include "launcher/cluster/tpu_check.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/text.h"
#include "launcher/blueprint/use_check.h"
#include "launcher/cluster/model_part.h"
#include "launcher/cluster/row_reader.h"

namespace slipway::cluster {
namespace {

using blueprint::Module;
using expression::Value;
using source::Code;

// A slice of a generation; without one if the settings are wrong or not known.
struct Slice {
  const TpuGeneration* generation = nullptr;
  int64_t chips = 0;
  source::Span place;  // of what names the generation
};

class TpuCheck {
 public:
  TpuCheck(blueprint::Evaluation& evaluation, const TpuTable& table,
           source::Diagnostics& diagnostics)
      : evaluation_(evaluation), table_(table), diagnostics_(diagnostics) {}

  void check(const Module& module) {
    if (module.interface == nullptr) return;
    for (const SliceSettings& settings : table_.slices) {
      if (settings.module == module.interface->path) check(module, settings);
    }
    for (const PoolSettings& settings : table_.pools) {
      if (settings.module == module.interface->path) check(module, settings);
    }
  }

 private:
  // The text of an input, or of a member of a mapping; empty if it is not known.
  std::string text(const Module& module, const std::string& input, const std::string& key = {}) {
    if (module.interface->input(input) == nullptr) return {};
    const Value* value = &evaluation_.input(module, input);
    if (!key.empty()) {
      const auto* object = value->as<Value::Object>();
      const auto found = object == nullptr ? Value::Object::const_iterator() : object->find(key);
      if (object == nullptr || found == object->end()) return {};
      value = &found->second;
    }
    const auto* known = value->as<std::string>();
    return known == nullptr ? std::string() : *known;
  }

  void check(const Module& module, const SliceSettings& settings) {
    const std::string type = text(module, settings.type);
    const std::string version = text(module, settings.config, "version");
    Slice slice;
    if (!type.empty()) {
      slice = of_type(type, place_of(module, settings.type));
    } else if (!version.empty()) {
      slice = of_config(module, settings, version);
    } else if (evaluation_.input(module, settings.type).is_known() &&
               evaluation_.input(module, settings.config).is_known()) {
      diagnostics_.error(
          Code::missing_input, module.id_span,
          fmt::format("module `{}` needs `{}` or `{}`", module.id, settings.type, settings.config));
    }
    if (slice.generation == nullptr) return;
    check_zone(module, settings, *slice.generation);
    whole_slices(module, settings, slice);
    if (!slice.generation->in_toolkit) {
      diagnostics_
          .error(Code::rule_broken, slice.place,
                 fmt::format("Slurm of Cluster Toolkit does not start TPUs of the generation `{}`",
                             slice.generation->name))
          .help("run them on GKE, or use one of: " + slipway::join(names_in_toolkit(), ", "));
    }
  }

  std::vector<std::string> names_in_toolkit() const {
    std::vector<std::string> names;
    for (const TpuGeneration& one : table_.generations) {
      if (one.in_toolkit) names.push_back(one.name);
    }
    return names;
  }

  Slice of_type(const std::string& type, source::Span place) {
    const TpuType found = table_.of_type(type);
    if (found.generation == nullptr) {
      std::vector<std::string> names;
      for (const TpuGeneration& one : table_.generations) names.push_back(one.name);
      diagnostics_
          .error(Code::rule_broken, place, fmt::format("there is no TPU of the type `{}`", type))
          .help(source::did_you_mean(type.substr(0, type.rfind('-')), names))
          .help("a type is a generation and a size, such as v4-16; generations are " +
                slipway::join(names, ", "));
      return {};
    }
    if (found.chips == 0) {
      diagnostics_
          .error(Code::rule_broken, place, fmt::format("there is no TPU of the type `{}`", type))
          .help(found.generation->possible_sizes());
      return {};
    }
    return {found.generation, found.chips, place};
  }

  Slice of_config(const Module& module, const SliceSettings& settings, const std::string& version) {
    const source::Span at_version = place_of(module, settings.config, "version");
    const auto generation = std::ranges::find(table_.generations, version, &TpuGeneration::version);
    if (generation == table_.generations.end()) {
      std::vector<std::string> versions;
      for (const TpuGeneration& one : table_.generations) versions.push_back(one.version);
      diagnostics_
          .error(Code::rule_broken, at_version,
                 fmt::format("there is no version `{}` of TPUs", version))
          .help_choose(version, versions);
      return {};
    }
    const std::string topology = text(module, settings.config, "topology");
    const source::Span place = place_of(module, settings.config, "topology");
    if (topology.empty() || !has_topology(*generation, topology, place)) return {};
    return {&*generation, tpu_chips(*tpu_sides(topology)), at_version};
  }

  bool has_topology(const TpuGeneration& generation, const std::string& topology,
                    source::Span place) {
    if (generation.has_topology(topology)) return true;
    diagnostics_
        .error(Code::rule_broken, place,
               fmt::format("TPUs of the generation `{}` have no topology `{}`", generation.name,
                           topology))
        .help(generation.possible_topologies());
    return false;
  }

  void check_zone(const Module& module, const SliceSettings& settings,
                  const TpuGeneration& generation) {
    const std::string zone = text(module, settings.zone);
    if (!zone.starts_with(table_.zones_known_in) || zone.empty() ||
        std::ranges::find(generation.zones, zone) != generation.zones.end())
      return;
    const blueprint::Level level =
        blueprint::level_of(evaluation_.deployment(), "test_machine_type_in_zone");
    if (level == blueprint::Level::ignore) return;
    const source::Span place = place_of(module, settings.zone);
    const std::string message = fmt::format(
        "TPUs of the generation `{}` are not offered in the zone `{}`", generation.name, zone);
    (level == blueprint::Level::error
         ? diagnostics_.error(Code::machine_not_offered, place, message)
         : diagnostics_.warning(Code::machine_not_offered, place, message))
        .help("they are offered in " + slipway::join(generation.zones, ", "));
  }

  // A slice starts and stops as a whole, so a remainder of machines never runs.
  void whole_slices(const Module& module, const SliceSettings& settings, const Slice& slice) {
    const int64_t machines =
        std::max<int64_t>(1, slice.chips / slice.generation->chips_per_machine);
    if (machines == 1) return;
    for (const std::string& input : settings.counts) {
      const auto count = expression::number_of(evaluation_.input(module, input));
      if (!count || static_cast<int64_t>(*count) % machines == 0) continue;
      diagnostics_
          .warning(
              Code::rule_broken, place_of(module, input),
              fmt::format("`{}` of module `{}` is not a multiple of {}, the machines of a slice",
                          input, module.id, machines))
          .help("a slice starts as a whole: the others never run");
    }
    if (evaluation_.input(module, settings.keep) == Value(true)) {
      diagnostics_
          .error(Code::rule_broken, place_of(module, settings.keep),
                 fmt::format("module `{}`: slices of {} machines cannot be stopped", module.id,
                             machines))
          .help("they can only be deleted; a slice of one machine can be kept");
    }
  }

  void check(const Module& module, const PoolSettings& settings) {
    const std::string type = text(module, settings.machine);
    const std::string topology = text(module, settings.policy, settings.topology);
    if (type.empty() || topology.empty()) return;
    const auto [generation, machine] = table_.of_machine(type);
    if (machine == nullptr) return;
    const auto sides = tpu_sides(topology);
    // Reported when the machines of the pool are counted: launcher/blueprint/tpu_nodes.cc.
    if (!sides || tpu_chips(*sides) % machine->chips != 0) return;
    const source::Span place = place_of(module, settings.policy, settings.topology);
    if (!has_topology(*generation, topology, place) || machine->only.empty() ||
        std::ranges::find(machine->only, topology) != machine->only.end())
      return;
    diagnostics_
        .error(Code::rule_broken, place,
               fmt::format("machines of type `{}` cannot form the topology `{}`", type, topology))
        .help(fmt::format("their topology is {}", slipway::join(machine->only, ", ")));
  }

  blueprint::Evaluation& evaluation_;
  const TpuTable& table_;
  source::Diagnostics& diagnostics_;
};

}  // namespace

void check_tpus(blueprint::Evaluation& evaluation, const TpuTable& table,
                source::Diagnostics& diagnostics) {
  TpuCheck check(evaluation, table, diagnostics);
  for (const blueprint::Group& group : evaluation.deployment().groups) {
    for (const Module& module : group.modules) check.check(module);
  }
}

}  // namespace slipway::cluster
