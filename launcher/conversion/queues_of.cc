// The nodesets and partitions of a blueprint, as Kueue's flavors and queues need them.
#include <fmt/core.h>

#include <algorithm>

#include "common/count.h"
#include "common/text.h"
#include "launcher/conversion/queues.h"

namespace slipway::conversion {
namespace {

constexpr const char* gpu_resource = "nvidia.com/gpu";

QueueFlavor flavor_of(const cluster::Nodeset& nodeset, const cluster::MachineType& machine,
                      const KueueTable& table) {
  QueueFlavor flavor;
  flavor.name = nodeset.name;
  flavor.about = fmt::format("machines of type {}", machine.name);
  if (machine.gpu_model.empty()) {
    flavor.labels = {{table.machine_label, machine.name}};
  } else {
    flavor.labels = {{table.accelerator_label, machine.gpu_model}};
  }
  flavor.machines = nodeset.node_count_static + nodeset.node_count_dynamic_max;
  flavor.counted = fmt::format("{} machines", flavor.machines);
  flavor.cpus = machine.cpus();
  flavor.memory_mib = machine.memory_mib;
  flavor.accelerators = machine.gpu_count;
  flavor.is_placed = machine.gpu_count > 0;
  if (machine.gpu_count > 0) flavor.accelerator = gpu_resource;
  return flavor;
}

// As Slurm's NodeSet: names of Kubernetes have the same letters.
std::string plain(const std::string& name) {
  std::string made;
  for (const char c : to_lower(name)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) made += c;
  }
  return made;
}

}  // namespace

Queues queues_of(const cluster::Cluster& cluster, const cluster::Catalogue& catalogue,
                 const KueueTable& table) {
  Queues made;
  made.cluster = cluster.name;
  for (const cluster::Nodeset& nodeset : cluster.nodesets) {
    made.flavors.push_back(
        flavor_of(nodeset, catalogue.machine(nodeset.machine.machine_type), table));
  }
  for (const cluster::Partition& partition : cluster.partitions) {
    made.partitions.push_back({partition.name, partition.nodesets});
  }
  return made;
}

void add_partition(const cluster::PlainPartition& partition, const cluster::Catalogue& catalogue,
                   const KueueTable& table, Queues& queues, source::Diagnostics& diagnostics) {
  QueuePartition made{partition.name, {}};
  for (cluster::Nodeset nodeset : partition.nodesets) {
    const cluster::MachineType* type = catalogue.find_machine(nodeset.machine.machine_type);
    if (type == nullptr) continue;
    nodeset.name = plain(nodeset.name).substr(0, 14);  // as the nodeset's own module
    made.flavors.push_back(nodeset.name);
    const auto same = std::ranges::find(queues.flavors, nodeset.name, &QueueFlavor::name);
    if (same == queues.flavors.end()) queues.flavors.push_back(flavor_of(nodeset, *type, table));
  }
  if (!made.flavors.empty()) return queues.partitions.push_back(std::move(made));
  diagnostics
      .warning(source::Code::no_equivalent, partition.place,
               fmt::format("the partition `{}` gets no queue", partition.name))
      .help("its machines are not known");
}

Queues queues_of(const std::string& cluster, const std::vector<cluster::TpuNodeset>& nodesets,
                 const cluster::TpuTable& tpus, const cluster::Catalogue& catalogue,
                 source::Diagnostics& diagnostics) {
  Queues made;
  made.cluster = cluster;
  for (const cluster::TpuNodeset& nodeset : nodesets) {
    const cluster::TpuType type = tpus.of_type(nodeset.type);
    if (type.generation == nullptr || type.chips == 0) continue;  // `check` reports them
    const cluster::TpuMachine* const machine = type.generation->machine_of(type.chips);
    if (machine == nullptr || type.generation->labels.empty()) {
      std::vector<std::string> names;
      for (const cluster::TpuGeneration& one : tpus.generations) {
        if (!one.machines.empty()) names.push_back(one.name);
      }
      diagnostics
          .error(source::Code::no_equivalent, nodeset.place,
                 fmt::format("machines of GKE with TPUs of the generation `{}` are not known",
                             type.generation->name))
          .help("generations are " + join(names, ", "));
      continue;
    }
    const std::string name = plain(nodeset.name);
    const auto partition =
        std::ranges::find(made.partitions, nodeset.partition, &QueuePartition::name);
    if (partition == made.partitions.end()) {
      made.partitions.push_back({nodeset.partition, {name}});
    } else {
      partition->flavors.push_back(name);
    }
    if (std::ranges::find(made.flavors, name, &QueueFlavor::name) != made.flavors.end()) continue;
    QueueFlavor flavor;
    flavor.name = name;
    const std::string topology = nodeset.topology.empty()
                                     ? type.generation->topologies_of(type.chips).front()
                                     : nodeset.topology;
    flavor.about =
        fmt::format("machines of type {}, in slices of topology {}", machine->type, topology);
    flavor.labels = {{tpus.pods.accelerator, type.generation->labels.back()},
                     {tpus.pods.topology, topology}};
    flavor.accelerator = tpus.pods.chips;
    flavor.slice = topology;
    // A slice starts as a whole. Its machines have chips of their own number, also where the
    // nodeset's count those of Slurm.
    const int64_t in_slurm = std::max<int64_t>(1, type.chips / type.generation->chips_per_machine);
    const int64_t slices = nodeset.machines / in_slurm;
    flavor.machines = slices * (type.chips / machine->chips);
    flavor.counted = fmt::format("{} of {}", counted(slices, "slice"),
                                 counted(type.chips / machine->chips, "machine"));
    if (const cluster::MachineType* row = catalogue.find_machine(machine->type)) {
      flavor.cpus = row->cpus();
      flavor.memory_mib = row->memory_mib;
    }
    flavor.accelerators = machine->chips;
    made.flavors.push_back(std::move(flavor));
  }
  return made;
}

}  // namespace slipway::conversion
