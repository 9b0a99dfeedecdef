// tpu.yaml of the catalogue: generations of TPUs, and how large their slices can be.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/source/diagnostics.h"

namespace slipway::cluster {

struct TpuMachine {
  std::string type;
  int64_t chips = 0;
  std::vector<std::string> only;  // its topologies; empty: all of the generation
};

struct TpuGeneration {
  std::string name;                     // beginning of its accelerator types, "v5p"
  std::string version;                  // in accelerator_config, "V5P"
  int64_t units_per_chip = 1;           // in the number of an accelerator type: 2 cores, or 1 chip
  std::vector<std::string> topologies;  // those that are not made of cubes
  int64_t cubes = 0;                    // most cubes of 4x4x4 chips; 0: slices are flat
  int64_t chips_per_machine = 0;        // in slices of several machines
  std::vector<std::string> labels;      // of its machines in GKE
  bool in_toolkit = false;              // Cluster Toolkit's Slurm starts them
  std::vector<std::string> zones;
  std::vector<TpuMachine> machines;

  // Whether a slice can have this topology, "4x4x8".
  bool has_topology(const std::string& topology) const;

  // Whether a slice can have this many chips.
  bool has_size(int64_t chips) const;

  // The topologies with this many chips. The first one is that of Google's accelerator types: the
  // most compact one.
  std::vector<std::string> topologies_of(int64_t chips) const;

  // The machines of slices with this many chips; nullptr if those of GKE are not known.
  const TpuMachine* machine_of(int64_t chips) const;

  // "topologies are 2x2, 2x4" and "sizes are v6e-4, v6e-8": for messages.
  std::string possible_topologies() const;
  std::string possible_sizes() const;
};

// What an accelerator type means, "v4-16".
struct TpuType {
  const TpuGeneration* generation = nullptr;  // nullptr: there is none of this name
  int64_t chips = 0;                          // of a slice; 0: it has none of this size
};

// Inputs of a module that describe a slice. An input that it does not have is empty.
struct SliceSettings {
  std::string module, name, type, config, zone, keep;
  std::vector<std::string> counts;
  std::string partition, is_default;  // of modules that use it: the partition's name and role
};

// Inputs of the module of nodesets without TPUs.
struct PlainSettings {
  std::string module, name, machine_type, static_count, dynamic_count;
};

// Inputs of a module that makes pools of TPU machines.
struct PoolSettings {
  std::string module, machine, policy, topology;
};

// How pods choose TPU machines in GKE.
struct TpuPods {
  std::string accelerator, topology;  // labels
  std::string chips;                  // a resource, and the key of the machines' taint
  // An annotation of a JobSet, and its value: each of its Jobs has a node pool to itself.
  std::string exclusive, pool;
  std::vector<std::string> ports;  // of a pod that takes part in a slice
  int64_t coordinator_port = 0;    // at which slices find each other
};

struct TpuTable {
  std::string zones_known_in;  // beginning of the names of zones that are listed completely
  std::vector<TpuGeneration> generations;
  std::vector<SliceSettings> slices;
  PlainSettings plain;
  std::vector<PoolSettings> pools;
  TpuPods pods;

  TpuType of_type(const std::string& type) const;

  // The generation of a machine type, and its row; nullptr if it has no TPUs.
  std::pair<const TpuGeneration*, const TpuMachine*> of_machine(const std::string& type) const;
};

// The sides of a topology, 2 or 3; nothing if it is written differently or larger than any.
std::optional<std::vector<int64_t>> tpu_sides(const std::string& topology);

// The number of chips of those sides.
int64_t tpu_chips(const std::vector<int64_t>& sides);

// Problems with the file go to `diagnostics` (E0902).
TpuTable load_tpus(const std::filesystem::path& folder, source::Sources& sources,
                   source::Diagnostics& diagnostics);

}  // namespace slipway::cluster
