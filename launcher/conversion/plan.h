// What a job becomes outside Slurm, whatever the format: pods or replicas, their image, resources
// and folders.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/tpu_table.h"
#include "launcher/conversion/format.h"
#include "launcher/conversion/rules.h"
#include "launcher/job_script/job.h"

namespace slipway::conversion {

// What the script does not say.
struct Place {
  Format format = Format::jobset;
  const cluster::Catalogue* catalogue = nullptr;
  const cluster::MachineType* machine = nullptr;  // nullptr: not known
  std::vector<std::string> training_clusters;     // machine types of Vertex AI's Slurm clusters
  const cluster::TpuTable* tpus = nullptr;        // nullptr: the job is not for TPUs
  std::string machine_type;                       // of a TPU: a machine's, or "v5p-32"
  std::string topology;                           // of each slice; empty: follows from the rest
  source::Span machine_place, topology_place;     // in the script; may be empty
  std::string image;                              // empty: the script's
  std::string queue;                              // Kueue's; empty: the script's partition
  std::map<std::string, std::string> variables;   // that the script takes from its environment
  std::vector<std::string> arguments;             // of the script
  // Persistent volume claims by the folder that they are mounted at on the blueprint's machines.
  std::map<std::string, std::string> claims;
};

// A folder that the tasks see.
struct Folder {
  std::string name;    // of its volume
  std::string source;  // on the machine, or in the claim
  std::string target;
  std::string asked;  // the source in the script
  std::string claim;  // a persistent volume claim; empty: a folder of the machine
  bool read_only = false, create = false;
};

// Slices of TPUs: each is a Job with a pod for each of its machines.
struct TpuSlices {
  std::string accelerator, topology;  // labels of the machines
  int64_t count = 1;
  int64_t machines = 1;  // of a slice
  int64_t chips = 0;     // of a machine
};

struct Plan {
  const job_script::JobScript* job = nullptr;
  Place place;
  std::string name;    // of the objects
  std::string image;   // REGISTRY/IMAGE:TAG
  int64_t number = 0;  // SLURM_JOB_ID
  int64_t nodes = 1, spares = 0, tasks_per_node = 1;
  int64_t gpus = 0, cpus = 0, memory_mib = 0;  // of a node; 0: not asked for
  int64_t seconds = 0;                         // 0: without a limit
  int64_t max_restarts = 0;
  std::vector<int64_t> array;  // the ids of its elements; empty: no array
  std::string queue, priority;
  bool close_together = false;  // --switches or --segment
  std::optional<TpuSlices> slices;
  std::vector<Folder> folders;
  std::map<std::string, std::string> variables;  // of --env and --export
  std::vector<std::string> notes;                // what has no effect, and why

  void note(const std::string& text);  // once
  bool several_nodes() const { return nodes > 1; }
  // Whether it runs the bandwidth test, whose ranks recognize each other by a key.
  bool runs_bandwidth_test() const;
};

// Reports everything that has no equivalent (E0602) or works differently (W0603). The result is
// complete only without errors.
Plan make_plan(const job_script::JobScript& job, Place place, const Rules& rules,
               source::Diagnostics& diagnostics);

}  // namespace slipway::conversion
