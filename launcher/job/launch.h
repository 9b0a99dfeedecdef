// `slipway launch`: runs a training job so that it survives the loss of nodes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "launcher/job/log_rules.h"

namespace slipway::job {

// The container that the tasks run in: options of srun, as pyxis and our own plugin have them.
struct LaunchContainer {
  std::vector<std::string> options;  // "--container-image=…", without the mounts
  std::string mounts;                // of --container-mounts
  bool wanted = false;               // an option or a variable asks for a container
};

struct LaunchOptions {
  std::vector<std::string> command;
  int64_t spares = 0;
  int64_t restarts = 3;        // allowed in a row without progress
  int64_t min_nodes = 0;       // 0: as many as at the start
  bool grow = false;           // take in other nodes after some were lost
  double grow_seconds = 600;   // between two restarts for that
  int64_t tasks_per_node = 0;  // 0: as srun would start
  double heartbeat_seconds = 5;
  double stall_seconds = 0;                             // 0: never
  double hang_seconds = 600;                            // without a sign of life; 0: never
  std::string on_hang = "tell", on_straggler = "tell";  // or "restart", "blame"
  std::string progress_regex;                           // its first group is a step; may be empty
  std::vector<LogRule> log_rules;
  bool nccl_watch = false;         // turn on NCCL's inspector
  std::filesystem::path progress;  // empty: only what tasks write to $SLIPWAY_PROGRESS
  std::filesystem::path ledger;    // empty: ledger_name() in the current folder
  std::vector<std::string> tell;   // programs, URLs and mail addresses: job_teller.h
  std::vector<std::string> srun;   // more options for the agents' step
  LaunchContainer container;
  bool fast_checkpoints = false;  // in the nodes' memory: launcher/checkpoint
  int64_t checkpoint_bytes = 0;   // that a node holds at most; 0: a share of its memory
  int64_t copies = 2;             // of each rank's checkpoint, on other nodes
  std::filesystem::path persist;  // where complete steps are written to disk; empty: nowhere
  int64_t persist_every = 1;      // at least so many steps after the one before
  std::string mpi = "pmix";       // or "none": how MPI ranks find each other
  std::string framework;          // of the catalog; empty: by the command
  bool label = false;
  bool no_kill = false;  // the job has --no-kill, although its script does not
};

// Runs the command on the nodes of this allocation until it succeeds, cannot succeed, or a signal
// ends the job. Returns its exit status. Throws UsageError and Error.
int launch(const LaunchOptions& options);

}  // namespace slipway::job
