// The launcher: a training job that survives its nodes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace slipway::job {

struct LaunchOptions {
  std::vector<std::string> command;
  int64_t spares = 0;
  int64_t restarts = 3;        // in a row without progress
  int64_t min_nodes = 0;       // 0: as many as at first
  int64_t tasks_per_node = 0;  // 0: as srun would start
  double heartbeat_seconds = 5;
  double stall_seconds = 0;        // 0: for ever
  std::filesystem::path progress;  // empty: only what tasks write to $SLIPWAY_PROGRESS
  std::filesystem::path ledger;    // empty: by the job's number, in this folder
  std::vector<std::string> srun;   // more options of the agents' step
  std::string mpi = "pmix";        // or none: what MPI's ranks meet by
  bool label = false;
  bool no_kill = false;  // the job has it, though its script does not say so
};

// Runs the command on the nodes of this allocation until it has succeeded, cannot succeed, or is
// told to end. Returns its exit status. Throws UsageError and Error.
int launch(const LaunchOptions& options);

}  // namespace slipway::job
