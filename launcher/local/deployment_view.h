// A deployment as its owner sees it: what was deployed, what runs, what Slurm reports.
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
  bool running = false;     // its PID 1 is alive
  std::string slurm_state;  // compute nodes only: "idle", "allocated", "down*", …
  std::string reason = {};  // Slurm's reason if the node is out of service
  std::vector<std::string> partitions = {};
  std::vector<std::string> faults = {};  // "link-down enp0s12"
  std::string image = {};                // that it starts from; empty: this machine's own root
};

struct JobView {
  std::string id;  // "7", or "7_2" in an array
  std::string name;
  std::string state;  // "RUNNING", "PENDING", …
  int nodes = 0;
  std::string node_list;  // or, in parentheses, the reason why it waits
};

// Whether Slurm answered.
struct SlurmView {
  bool asked = false;
  bool answers = true;     // slurmctld listed its nodes and jobs
  std::string since = {};  // when it was first seen not answering: "2026-11-22 17:03:12Z"
  std::string why = {};    // from the node's PID 1 and Slurm's commands
};

struct DeploymentView {
  DeploymentFolder folder;
  std::string name;
  // "running"; "starting" while its `slipway deploy` waits for it; "changing" while another
  // blueprint is being applied; "silent" if its supervisor does not answer; "unfinished" if its
  // deploy or destroy was interrupted; "dead"
  std::string state;
  std::vector<NodeView> nodes;
  std::vector<JobView> jobs;
  SlurmView slurm = {};
  std::string slurm_silent_since = {};  // as the supervisor remembers it

  bool runs() const { return state == "running" || state == "changing"; }
};

// Explains the state and what to do about it; empty if the deployment runs.
std::string remark(const DeploymentView& view);

// Whether a person should look: it does not run, Slurm does not answer, or a node has a fault, is
// out of service, or is off without Slurm having powered it down.
bool needs_attention(const DeploymentView& view);

// "slurmctld has not answered since …: …"; empty if it answered or was not asked.
std::string slurm_remark(const DeploymentView& view);

// Reads the folder and asks the supervisor, but not Slurm. Throws Error if the deployment does not
// exist.
DeploymentView view(const DeploymentFolder& folder);

// Fills in slurm, slurm_state and jobs from sinfo and squeue on the controller, in less than a
// second. If the controller does not answer, the states are "unknown".
void ask_slurm(DeploymentView& view);

// Resolves what the user typed to a node's name: the name itself, the only name that ends in
// -`typed`, or the first node with the role `typed`. Throws Error with a suggestion if nothing
// matches.
std::string resolve_node(const DeploymentView& view, const std::string& typed);

nlohmann::json to_json(const DeploymentView& view);
nlohmann::json to_json(const std::vector<DeploymentView>& views);

}  // namespace slipway::local
