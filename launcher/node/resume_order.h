// What Slurm wants from `slipway node resume`, and how it is split into requests.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "launcher/node/metadata.h"

namespace slipway::node {

// A job that waits for nodes.
struct WaitingJob {
  long id = 0;
  std::vector<std::string> all;     // its nodes
  std::vector<std::string> resume;  // those that have to be started for it
  long limit_seconds = 0;           // its time limit; 0: none, or not known
};

struct ResumeOrder {
  std::vector<std::string> nodes;
  std::vector<WaitingJob> jobs{};
  // How long Slurm waits for a node: its ResumeTimeout. Nodes that are not here: `patience.end`.
  std::map<std::string, std::chrono::seconds> timeouts{};
};

// Reads the file that Slurm names in SLURM_RESUME_FILE: slurm.schedmd.com/power_save.html since
// 23.02, power_save.c before. `expand` turns Slurm's host lists into names. Throws Error.
std::vector<WaitingJob> parse_resume_file(
    const std::string& text,
    const std::function<std::vector<std::string>(const std::string&)>& expand);

// Machines of one request: of one nodeset, for one job or for none.
struct Batch {
  std::string prefix;  // of their names: "c-gpu-"
  const Nodes* nodeset = nullptr;
  std::vector<std::string> names;
  long job = 0;                     // 0: none
  long job_seconds = 0;             // the job's time limit; 0: none
  std::string policy;               // name of their compact placement policy; empty: none
  bool is_whole = false;            // all of them or none
  std::chrono::seconds timeout{0};  // 0: as long as the patience lasts
};

// Nodes that belong to no nodeset are returned in `unknown`. A node that several jobs wait for is
// in the first one's batch.
std::vector<Batch> batches_of(const ClusterFile& cluster, const ResumeOrder& order,
                              std::vector<std::string>& unknown);

// What the names of all placement policies of a nodeset begin with.
std::string policy_prefix(const ClusterFile& cluster, const std::string& nodeset);

// "c-gpu-" of "c-gpu-12".
std::string prefix_of(const std::string& node);

}  // namespace slipway::node
