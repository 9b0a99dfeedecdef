// A deployment as its owner sees it: what was deployed, what runs, what Slurm says.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "launcher/local/deployment_folder.h"

namespace slipway::local {

struct NodeView {
  std::string name;
  std::string role;
  std::string machine_type;
  std::string address;      // IPv4 address with prefix length
  bool running = false;     // its PID 1 lives
  std::string slurm_state;  // of compute nodes: "idle", "allocated", "down*", …; otherwise empty
  std::string reason = {};  // that Slurm has for a node that is not in service
  std::vector<std::string> partitions = {};
  std::vector<std::string> faults = {};  // "link-down enp0s12"
};

struct JobView {
  std::string id;  // "7" or "7_2" of an array
  std::string name;
  std::string state;  // "RUNNING", "PENDING", …
  int nodes = 0;
  std::string node_list;  // or the reason why it waits, in brackets
};

struct DeploymentView {
  DeploymentFolder folder;
  std::string name;
  // "running"; "starting" while its `slipway deploy` waits for it; "changing" when its supervisor
  // does not answer; "dead"
  std::string state;
  std::vector<NodeView> nodes;
  std::vector<JobView> jobs;
};

// What the folder and the supervisor tell; Slurm is not asked. Throws Error when there is no such
// deployment.
DeploymentView view(const DeploymentFolder& folder);

// Fills in slurm_state and jobs from sinfo and squeue on the controller. A controller that does not
// answer leaves "unknown".
void ask_slurm(DeploymentView& view);

// The name of the node that `typed` means: its name, the only name that ends in -`typed`, or the
// first node of the role `typed`. Throws Error with a suggestion when there is none.
std::string resolve_node(const DeploymentView& view, const std::string& typed);

nlohmann::json to_json(const DeploymentView& view);
nlohmann::json to_json(const std::vector<DeploymentView>& views);

}  // namespace slipway::local
