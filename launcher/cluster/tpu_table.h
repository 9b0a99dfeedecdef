// tpu.yaml of the catalogue: generations of TPUs, and how large their slices can be.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
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
};

// Inputs of a module that describe a slice. An input that it does not have is empty.
struct SliceSettings {
  std::string module, type, config, zone, keep;
  std::vector<std::string> counts;
};

// Inputs of a module that makes pools of TPU machines.
struct PoolSettings {
  std::string module, machine, policy, topology;
};

// How pods choose TPU machines in GKE.
struct TpuPods {
  std::string accelerator, topology;  // labels
  std::string chips;                  // a resource
};

struct TpuTable {
  std::string zones_known_in;  // beginning of the names of zones that are listed completely
  std::vector<TpuGeneration> generations;
  std::vector<SliceSettings> slices;
  std::vector<PoolSettings> pools;
  TpuPods pods;
};

// The sides of a topology, 2 or 3; nothing if it is written differently or larger than any.
std::optional<std::vector<int64_t>> tpu_sides(const std::string& topology);

// The number of chips of those sides.
int64_t tpu_chips(const std::vector<int64_t>& sides);

// Problems with the file go to `diagnostics` (E0902).
TpuTable load_tpus(const std::filesystem::path& folder, source::Sources& sources,
                   source::Diagnostics& diagnostics);

}  // namespace slipway::cluster
