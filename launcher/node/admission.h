// Keeps jobs away from nodes until deep checks and a scan of pairs have passed:
// docs/guides/health.md.
//
// A node whose checks are due is drained by itself before it registers (launcher/health/slurm.h).
// The service on the controller puts it into a maintenance reservation, resumes it, and starts a
// job in the reservation that checks it; a node that passes leaves the reservation. Nodes that are
// drained or down are reserved meanwhile, so that nobody gets them when they come back.
//
// The plan is a function of what Slurm says and what the last run remembered. Slurm has the states:
// without the memory, nodes are checked again. admission_slurm.h carries a plan out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/health/policy.h"
#include "launcher/node/dead_nodes.h"
#include "launcher/node/reconcile.h"

namespace slipway::node {

// The name of the jobs that check nodes.
inline constexpr const char* check_job_name = "slipway-deep-checks";

// The comment that such a job gives itself when it begins.
inline constexpr const char* begun_comment = "slipway: checking";

// A scan that can name a slow node needs this many; nodes in service make up the number.
constexpr size_t scanned_together = 4;

struct AdmittedNode {
  NodeState state;
  std::string partition;   // the first by name
  int64_t since = 0;       // when the reason was set
  bool on_demand = false;  // Slurm starts it when a job needs it
};

struct AdmissionView {
  std::vector<AdmittedNode> nodes;
  std::optional<std::set<std::string>> reserved;  // by our reservation, if it exists
  std::map<std::string, std::string> jobs;        // by id: the states of jobs that check nodes
  std::map<std::string, size_t> unbegun;  // how many nodes they have, if their script has not begun
  int64_t now = 0;
};

struct NodeCheck {
  std::string partition;
  std::set<std::string> nodes;     // to be checked
  std::set<std::string> partners;  // in service, for the scan of pairs
  int64_t submitted = 0;

  std::set<std::string> all() const;
};

struct AdmissionMemory {
  std::map<std::string, NodeCheck> checks;   // by the id of their job
  std::map<std::string, Attempts> attempts;  // by node: its checks ended without a result
  std::set<std::string> reserved;            // when the last run had ended
  std::set<std::string> waiting;             // what the last run would have checked
};

AdmissionMemory load_admission_memory(const std::string& file);
void save_admission_memory(const std::string& file, const AdmissionMemory& memory);

// In this order.
struct AdmissionPlan {
  std::set<std::string> reserved;      // what the reservation has to contain; empty: delete it
  std::vector<std::string> cancelled;  // jobs
  std::vector<std::string> resumed;    // nodes
  std::vector<NodeCheck> checks;       // jobs to submit
  std::vector<std::string> said;       // what changed, for the log
  AdmissionMemory memory;              // without the new checks, which have no id yet
};

AdmissionPlan plan_admission(const AdmissionView& view, const health::DeepChecks& deep,
                             const AdmissionMemory& memory);

// What `sinfo --noheader --Node --all` prints with
// --Format=NodeList:|,StateComplete:|,Timestamp:|,PartitionName:|,Reason:| and
// SLURM_TIME_FORMAT=%s. `always_on`: SuspendExcNodes, expanded.
std::vector<AdmittedNode> parse_admitted_nodes(std::string_view text,
                                               const std::set<std::string>& always_on);

// Of these nodes, those whose drain has not changed. Meanwhile an administrator may have drained
// one for another reason or resumed it, or it may be down.
std::vector<std::string> still_drained(const std::vector<std::string>& names,
                                       const std::vector<AdmittedNode>& before,
                                       const std::vector<AdmittedNode>& now);

// What a scan of pairs says about the nodes to be checked.
struct PairVerdict {
  std::map<std::string, std::string> slow;  // by node: the evidence
  std::string not_judged;                   // why no node was judged; empty: all were
};

// `scan`: slipway/scan/1. A pair that fails is its new node's fault, as partners are in service.
// Throws Error if it is not such a file.
PairVerdict judge_scan(std::string_view scan, const std::set<std::string>& checked);

}  // namespace slipway::node
