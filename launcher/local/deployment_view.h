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

// Whether Slurm answered.
struct SlurmView {
  bool asked = false;
  bool answers = true;     // slurmctld listed nodes and jobs
  std::string since = {};  // when it was first seen not to answer: "2026-11-22 17:03:12Z"
  std::string why = {};    // from the node's PID 1 and Slurm's commands
};

struct DeploymentView {
  DeploymentFolder folder;
  std::string name;
  // "running"; "starting" while its `slipway deploy` waits for it; "changing" while another
  // blueprint is applied; "silent" when its supervisor does not answer; "unfinished" when its
  // deploy or destroy was interrupted; "dead"
  std::string state;
  std::vector<NodeView> nodes;
  std::vector<JobView> jobs;
  SlurmView slurm = {};
  std::string slurm_silent_since = {};  // as the supervisor remembers it

  bool runs() const { return state == "running" || state == "changing"; }
};

// What the state means, and what to do; empty for a deployment that runs.
std::string remark(const DeploymentView& view);

// "slurmctld has not answered since …: …"; empty when it has, or was not asked.
std::string slurm_remark(const DeploymentView& view);

// What the folder and the supervisor tell; Slurm is not asked. Throws Error when there is no such
// deployment.
DeploymentView view(const DeploymentFolder& folder);

// Fills in slurm, slurm_state and jobs from sinfo and squeue on the controller, in less than a
// second. When the controller does not answer, states are "unknown".
void ask_slurm(DeploymentView& view);

// The name of the node that `typed` means: its name, the only name that ends in -`typed`, or the
// first node of the role `typed`. Throws Error with a suggestion when there is none.
std::string resolve_node(const DeploymentView& view, const std::string& typed);

nlohmann::json to_json(const DeploymentView& view);
nlohmann::json to_json(const std::vector<DeploymentView>& views);

}  // namespace slipway::local
