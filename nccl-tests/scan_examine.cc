// The ranks of a scan measure the levels below pairs.
#include <set>

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"
#include "nccl-tests/scan_agents.h"
#include "nccl-tests/scan_level_tasks.h"
#include "nccl-tests/scan_verdict.h"
#include "nccl-tests/socket.h"

namespace slipway::bandwidth {
namespace {

// So many named nodes are explained: each takes seconds for every interface.
constexpr size_t most_examined = 8;
constexpr size_t healthy_examined = 2;

// For an answer to arrive after the process that measured has ended.
constexpr double level_grace_seconds = 5;
// Tokens of these groups differ from those of pairs.
constexpr uint64_t first_group = uint64_t{1} << 40;

}  // namespace

ScanAgents::Agent* ScanAgents::first_agent_of(int node) {
  for (Agent& agent : agents_) {
    if (agent.node == node && !agent.has_left) return &agent;
  }
  return nullptr;
}

// Measures `part.task` with one rank on each of these agents, and waits for all of them.
PairOutcome ScanAgents::measure_group(const std::vector<Agent*>& group, PairRank part,
                                      std::map<int, std::string>& lost) {
  part.size = static_cast<int>(group.size());
  const uint64_t number = first_group + static_cast<uint64_t>(++groups_examined_);
  part.token = token_ ^ (number * 0x9e3779b97f4a7c15U);
  std::optional<PairRank> own;
  for (const Agent* agent : group) {
    hand_out(*agent, part, own);
    ++part.rank;
  }
  const double deadline = now_seconds() + settings_.limit_seconds + level_grace_seconds;
  PairOutcome own_outcome;
  if (own) own_outcome = start_pair_rank(*own, settings_.arguments, settings_.limit_seconds);
  PairOutcome all;
  for (const Agent* agent : group) {
    const PairOutcome one =
        agent->rank == 0 ? own_outcome
                         : answer_of(agent->rank, deadline, "while its levels were measured", lost);
    if (!one.failure.empty() && all.failure.empty()) all.failure = one.failure;
    if (one.busbw_gb_per_s > 0) all.busbw_gb_per_s = one.busbw_gb_per_s;
    if (!one.levels.empty()) all.levels = one.levels;
  }
  return all;
}

// An all_reduce among the node's own GPUs: over NVLink, where they have it.
NodeLevel ScanAgents::gpus_together(int node, std::map<int, std::string>& lost) {
  NodeLevel level{.node = node, .part = "GPUs together", .does = "all_reduce at", .gb_per_s = {}};
  std::vector<Agent*> ranks;
  for (Agent& agent : agents_) {
    if (agent.node == node && !agent.has_left) ranks.push_back(&agent);
  }
  level.was_asked = ranks.size() > 1;
  if (!level.was_asked) {
    level.why = "one rank on the node: start one for each GPU";
    return level;
  }
  const PairOutcome done =
      measure_group(ranks, {.host = ranks.front()->address, .task = task::gpus}, lost);
  if (done.failure.empty() && done.busbw_gb_per_s > 0)
    level.gb_per_s = done.busbw_gb_per_s;
  else
    level.why = done.failure.empty() ? "no result" : done.failure;
  return level;
}

std::vector<NodeLevel> ScanAgents::examine(int node, int partner,
                                           std::map<int, std::string>& lost) {
  Agent* const own = first_agent_of(node);
  Agent* const other = first_agent_of(partner);
  if (own == nullptr || other == nullptr) return {};
  const PairOutcome inside =
      measure_group({own}, {.host = own->address, .task = task::inside}, lost);
  std::vector<NodeLevel> levels = parse_node_levels(inside.levels, node);
  if (!inside.failure.empty()) {
    levels.push_back(
        {.node = node, .part = "node", .does = "", .gb_per_s = {}, .why = inside.failure});
  }
  if (settings_.on_gpus) levels.push_back(gpus_together(node, lost));
  for (const std::string& interface : split(own->interfaces, ',')) {
    const size_t equal = interface.find('=');
    if (equal == interface.npos) continue;
    for (const char* const direction : {task::out, task::in}) {
      if (own->has_left || other->has_left) return levels;
      const PairOutcome done = measure_group(
          {own, other}, {.host = interface.substr(equal + 1), .task = direction}, lost);
      NodeLevel level{.node = node,
                      .part = "interface " + interface.substr(0, equal),
                      .does = direction == task::out ? "sends" : "receives",
                      .gb_per_s = {},
                      .why = done.failure};
      if (done.failure.empty() && done.busbw_gb_per_s > 0) level.gb_per_s = done.busbw_gb_per_s;
      if (!level.gb_per_s && level.why.empty()) level.why = "no result";
      levels.push_back(std::move(level));
    }
  }
  return levels;
}

ExaminedNodes examine_named(const std::vector<ScanNode>& nodes,
                            const std::vector<PairResult>& results, const ScanSettings& settings,
                            const ExamineNode& examine) {
  ExaminedNodes examined;
  std::set<int> suspected;
  for (const Finding& finding : findings(nodes, results, settings)) {
    suspected.insert(finding.nodes.begin(), finding.nodes.end());
    const bool is_node = finding.what == Finding::What::node;
    if (!is_node || settings.lost.contains(finding.nodes.front())) continue;
    if (examined.named.size() < most_examined) examined.named.push_back(finding.nodes.front());
  }
  if (examined.named.empty()) return examined;
  for (int node = 0; node < static_cast<int>(nodes.size()); ++node) {
    if (examined.healthy.size() < healthy_examined && !suspected.contains(node))
      examined.healthy.push_back(node);
  }
  if (examined.healthy.size() < healthy_examined) return examined;
  const auto add = [&](int node, int partner) {
    const auto levels = examine(node, partner);
    examined.levels.insert(examined.levels.end(), levels.begin(), levels.end());
  };
  add(examined.healthy[0], examined.healthy[1]);
  add(examined.healthy[1], examined.healthy[0]);
  for (const int node : examined.named) add(node, examined.healthy[0]);
  return examined;
}

}  // namespace slipway::bandwidth
