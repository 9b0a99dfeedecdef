// One node of a local cluster: a process tree in namespaces of its own.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "common/fd.h"
#include "launcher/local/plan.h"

namespace slipway::local {

// What all nodes of a deployment have in common.
struct NodeSurroundings {
  std::filesystem::path image;                     // what nodes start from: a root file system
  std::filesystem::path prefix;                    // Slipway's installation on the host
  std::filesystem::path slurm;                     // becomes /etc/slurm
  std::filesystem::path run;                       // a tmpfs; nodes keep their changes below it
  std::filesystem::path logs;                      // <logs>/<node> becomes /var/log/slurm
  std::filesystem::path shared;                    // <shared>/<id> are the shared file systems
  std::filesystem::path state;                     // of slurmctld
  std::filesystem::path database;                  // of slurmdbd
  std::vector<std::filesystem::path> host_mounts;  // mount points of the host
  std::string munge_key;
  std::filesystem::path gpus;  // <gpus>/<node> has the state of a node's simulated GPUs
};

// A node as its supervisor sees it.
struct LocalNode {
  pid_t pid = 0;  // of its PID 1, in the supervisor's PID namespace; 0 when it is off
  Fd channel;     // to its PID 1 while it starts
};

// Starts the processes of a node. It then reports on `channel` and waits there for two words of the
// supervisor:
//   supervisor {"go": "network"}   its interfaces are there
//   node       {"state": "prepared"} or {"error": text}
//   supervisor {"go": "services"}  slurmctld answers (or this node is the controller)
//   node       {"state": "started"} or {"error": text}
LocalNode start_local_node(const PlannedNode& node, const Plan& plan,
                           const NodeSurroundings& surroundings);

}  // namespace slipway::local
