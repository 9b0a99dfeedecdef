// Starts one node of a local cluster: a process tree in its own namespaces.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "common/fd.h"
#include "launcher/local/plan.h"

namespace slipway::local {

// What all nodes of a deployment share.
struct NodeSurroundings {
  std::filesystem::path prefix;                    // Slipway's installation on the host
  std::filesystem::path slurm;                     // becomes /etc/slurm
  std::filesystem::path run;                       // a tmpfs that holds the nodes' changes
  std::filesystem::path logs;                      // <logs>/<node> becomes /var/log/slurm
  std::filesystem::path shared;                    // <shared>/<id> are the shared file systems
  std::filesystem::path state;                     // slurmctld's state
  std::filesystem::path database;                  // slurmdbd's database
  std::vector<std::filesystem::path> host_mounts;  // mount points of the host
  std::string munge_key;
  std::filesystem::path gpus;    // <gpus>/<node> holds the state of a node's simulated GPUs
  std::filesystem::path health;  // <health>/<node> is what it remembers of its health
};

// A node as its supervisor sees it.
struct LocalNode {
  pid_t pid = 0;  // its PID 1, in the supervisor's PID namespace; 0 if it is off
  Fd channel;     // to its PID 1 while it starts
};

// Starts the processes of a node, which then exchanges these messages on `channel`:
//   supervisor {"go": "network"}   its interfaces exist
//   node       {"state": "prepared"} or {"error": text}
//   supervisor {"go": "services"}  slurmctld answers (or this node is the controller)
//   node       {"state": "started"} or {"error": text}
LocalNode start_local_node(const PlannedNode& node, const Plan& plan,
                           const NodeSurroundings& surroundings);

}  // namespace slipway::local
