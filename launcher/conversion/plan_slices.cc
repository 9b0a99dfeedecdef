// The slices of TPUs that a job needs.
#include "launcher/conversion/plan_slices.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/count.h"
#include "common/text.h"

namespace slipway::conversion {
namespace {

using cluster::TpuGeneration;
using cluster::TpuMachine;
using source::Span;

class SlicePlanner {
 public:
  SlicePlanner(Plan& plan, source::Diagnostics& diagnostics)
      : plan_(plan), place_(plan.place), diagnostics_(diagnostics) {}

  void run() {
    gpus();
    if (place_.format == Format::vertex) {
      refuse(place_.machine_place, "how custom jobs get slices of TPUs is not known",
             "convert it to a JobSet");
      return;
    }
    if (!find_machine()) return;
    place_.machine = place_.catalogue->find_machine(machine_->type);
    if (!find_topology()) return;
    slices_.accelerator = generation_->labels.back();
    slices_.chips = machine_->chips;
    slices_.machines = machines_of(slices_.topology);
    if (!count()) return;
    check_gres();
    if (plan_.tasks_per_node > 1) {
      diagnostics_
          .warning(source::Code::no_equivalent, plan_.job->resources.tasks_per_node.place,
                   "a program takes all TPU chips of its machine, so that only one task can start")
          .help("use --ntasks-per-node=1");
    }
    plan_.slices = slices_;
  }

 private:
  void refuse(Span where, const std::string& message, const std::string& hint) {
    diagnostics_.error(source::Code::no_equivalent, where, message).help(hint);
  }

  void gpus() {
    if (plan_.gpus == 0) return;
    refuse(plan_.job->resources.gpus_per_node.place, "machines with TPUs have no GPUs",
           "leave it out: each pod gets all TPU chips of its machine");
    plan_.gpus = 0;
  }

  // By a machine's type, or by that of a slice.
  bool find_machine() {
    std::tie(generation_, machine_) = place_.tpus->of_machine(place_.machine_type);
    if (machine_ != nullptr) return true;
    const cluster::TpuType type = place_.tpus->of_type(place_.machine_type);
    generation_ = type.generation;
    chips_ = type.chips;
    if (generation_->labels.empty() || generation_->machines.empty()) {
      std::vector<std::string> names;
      for (const TpuGeneration& one : place_.tpus->generations) {
        if (!one.machines.empty()) names.push_back(one.name);
      }
      refuse(place_.machine_place,
             fmt::format("machines of GKE with TPUs of the generation `{}` are not known",
                         generation_->name),
             "choose another with --machine-type; generations are " + join(names, ", "));
      return false;
    }
    if (chips_ == 0) {
      refuse(place_.machine_place,
             fmt::format("there is no TPU of the type `{}`", place_.machine_type),
             generation_->possible_sizes());
      return false;
    }
    machine_ = generation_->machine_of(chips_);
    return true;
  }

  // --topology, or the usual topology of slices with these chips.
  bool find_topology() {
    if (!place_.topology.empty()) return check_topology();
    const bool is_one_slice = chips_ == 0;
    const int64_t chips = is_one_slice ? plan_.nodes * machine_->chips : chips_;
    for (const std::string& topology : generation_->topologies_of(chips)) {
      if (!can_form(topology)) continue;
      slices_.topology = topology;
      return true;
    }
    const int64_t machines = chips / machine_->chips;
    refuse(nodes_place(),
           fmt::format("there is no slice of {} of type `{}`",
                       machines > 0 ? counted(machines, "machine")
                                    : counted(chips, "chip") + " on machines",
                       machine_->type),
           possible());
    return false;
  }

  bool check_topology() {
    const std::string& topology = place_.topology;
    if (!generation_->has_topology(topology)) {
      refuse(place_.topology_place,
             fmt::format("TPUs of the generation `{}` have no topology `{}`", generation_->name,
                         topology),
             generation_->possible_topologies());
      return false;
    }
    const int64_t chips = cluster::tpu_chips(*cluster::tpu_sides(topology));
    if (chips_ > 0 && chips != chips_) {
      refuse(place_.topology_place,
             fmt::format("a slice of type `{}` has {} chips, and the topology `{}` has {}",
                         place_.machine_type, chips_, topology, chips),
             "its topologies are " + join(generation_->topologies_of(chips_), ", "));
      return false;
    }
    if (!can_form(topology)) {
      refuse(place_.topology_place,
             fmt::format("machines of type `{}` cannot form the topology `{}`", machine_->type,
                         topology),
             possible());
      return false;
    }
    slices_.topology = topology;
    return true;
  }

  bool can_form(const std::string& topology) const {
    const std::vector<std::string>& only = machine_->only;
    return cluster::tpu_chips(*cluster::tpu_sides(topology)) % machine_->chips == 0 &&
           (only.empty() || std::ranges::find(only, topology) != only.end());
  }

  int64_t machines_of(const std::string& topology) const {
    return cluster::tpu_chips(*cluster::tpu_sides(topology)) / machine_->chips;
  }

  // "its slices: 2x2x1 has 1 machine, 2x2x2 has 2 machines"
  std::string possible() const {
    std::vector<std::string> parts;
    for (const std::string& topology : generation_->topologies) {
      if (!can_form(topology)) continue;
      const int64_t machines = machines_of(topology);
      parts.push_back(
          fmt::format("{} has {} machine{}", topology, machines, machines == 1 ? "" : "s"));
    }
    std::string text = "its slices: " + join(parts, ", ");
    if (generation_->cubes > 0) {
      text += fmt::format(", and ascending multiples of 4, such as 4x4x8, have 1 for each {} chips",
                          machine_->chips);
    }
    return text;
  }

  Span nodes_place() const { return plan_.job->resources.nodes.place; }

  bool count() {
    const int64_t machines = slices_.machines;
    slices_.count = plan_.nodes / machines;
    if (plan_.nodes % machines != 0) {
      const int64_t fewer = slices_.count * machines;
      refuse(
          nodes_place(),
          fmt::format("{}: one of topology `{}` has {} machines",
                      plan_.nodes == 1 ? "1 node is not a whole slice"
                                       : fmt::format("{} nodes are not whole slices", plan_.nodes),
                      slices_.topology, machines),
          fewer == 0 ? fmt::format("ask for {} nodes", machines)
                     : fmt::format("ask for {} or {} nodes", fewer, fewer + machines));
      return false;
    }
    if (slices_.count == 1) return true;
    if (machines == 1) {
      refuse(nodes_place(),
             fmt::format("a job of several slices needs slices of several machines, and one of "
                         "topology `{}` has one",
                         slices_.topology),
             possible());
      return false;
    }
    const job_script::ScriptOption* const array = plan_.job->find("array");
    if (array == nullptr) return true;
    refuse(array->place, "an array of jobs with several slices has no equivalent",
           "ask for one slice, or write a script for each element");
    return false;
  }

  // --gres=tpu:4
  void check_gres() {
    const job_script::ScriptOption* const option = plan_.job->find("gres");
    if (option == nullptr) return;
    for (const std::string& entry : split(option->value.text, ',')) {
      if (!entry.starts_with("tpu:")) continue;
      if (to_number<int64_t>(entry.substr(entry.rfind(':') + 1)) == machine_->chips) continue;
      refuse(option->place,
             fmt::format("a pod gets all {} TPU chips of its machine", machine_->chips),
             fmt::format("leave it out, or ask for tpu:{}", machine_->chips));
    }
  }

  Plan& plan_;
  Place& place_;
  source::Diagnostics& diagnostics_;
  const TpuGeneration* generation_ = nullptr;
  const TpuMachine* machine_ = nullptr;
  int64_t chips_ = 0;  // of a slice, if the type says so
  TpuSlices slices_;
};

}  // namespace

void plan_slices(Plan& plan, source::Diagnostics& diagnostics) {
  if (plan.place.tpus != nullptr) {
    SlicePlanner(plan, diagnostics).run();
  } else if (!plan.place.topology.empty()) {
    diagnostics
        .error(source::Code::no_equivalent, plan.place.topology_place,
               "only machines with TPUs have a topology")
        .help("leave it out, or name such machines with --machine-type");
  }
}

}  // namespace slipway::conversion
