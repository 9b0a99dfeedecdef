// The ranks of a scan burn their nodes' GPUs, all nodes at the same time.
#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"
#include "nccl-tests/scan_agents.h"
#include "nccl-tests/scan_burn.h"
#include "nccl-tests/socket.h"

namespace slipway::bandwidth {
namespace {

// For an answer to arrive after the process that burned has ended.
constexpr double burn_grace_seconds = 5;
// Tokens of these processes are not used: each is alone.
constexpr uint64_t no_token = 0;

}  // namespace

// Gives each agent that has a task its own, and waits for all. Without a task, an agent is not
// asked, and its outcome is empty.
std::vector<PairOutcome> ScanAgents::measure_alone(const std::vector<std::string>& tasks,
                                                   std::map<int, std::string>& lost) {
  std::optional<PairRank> own;
  double limit = settings_.limit_seconds;
  for (size_t i = 0; i < agents_.size(); ++i) {
    if (tasks[i].empty() || agents_[i].has_left) continue;
    const PairRank part{
        .rank = 0, .size = 1, .token = no_token, .host = agents_[i].address, .task = tasks[i]};
    limit = limit_of(part.task, settings_.limit_seconds);
    hand_out(agents_[i], part, own);
  }
  const double deadline = now_seconds() + limit + burn_grace_seconds;
  std::vector<PairOutcome> outcomes(agents_.size());
  if (own) outcomes[0] = start_pair_rank(*own, settings_.arguments, limit);
  for (size_t i = 1; i < agents_.size(); ++i) {
    if (tasks[i].empty() || agents_[i].has_left) continue;
    outcomes[i] = answer_of(agents_[i].rank, deadline, "while its GPUs were burned", lost);
  }
  return outcomes;
}

// By agent: the GPUs that it burns, so that no GPU is burned twice.
std::vector<std::vector<std::string>> ScanAgents::gpus_of_agents(std::vector<NodeBurn>& burned,
                                                                 std::map<int, std::string>& lost) {
  const std::vector<PairOutcome> seen =
      measure_alone(std::vector<std::string>(agents_.size(), task::list), lost);
  std::vector<std::vector<std::string>> shares(agents_.size());
  for (NodeBurn& node : burned) {
    std::vector<size_t> ranks;
    std::vector<std::vector<std::string>> buses;
    for (size_t i = 0; i < agents_.size(); ++i) {
      if (agents_[i].node != node.node) continue;
      if (!seen[i].failure.empty()) {
        node.missing = seen[i].failure;
        node.has_failed = true;
      }
      ranks.push_back(i);
      buses.push_back({});
      for (const std::string& bus : split(seen[i].levels, ',')) {
        if (!bus.empty()) buses.back().push_back(bus);
      }
    }
    const auto shared = share_gpus(buses);
    for (size_t i = 0; i < ranks.size(); ++i) shares[ranks[i]] = shared[i];
  }
  return shares;
}

std::vector<NodeBurn> ScanAgents::burn(double seconds, std::map<int, std::string>& lost) {
  std::vector<NodeBurn> burned;
  for (int node = 0; node < static_cast<int>(nodes_.size()); ++node) {
    if (!lost.contains(node)) burned.push_back({.node = node, .missing = "", .gpus = {}});
  }
  std::vector<std::string> tasks;
  for (const std::vector<std::string>& buses : gpus_of_agents(burned, lost))
    tasks.push_back(buses.empty() ? "" : to_task({.seconds = seconds, .buses = buses}));
  const std::vector<PairOutcome> outcomes = measure_alone(tasks, lost);
  for (NodeBurn& node : burned) {
    for (size_t i = 0; i < agents_.size(); ++i) {
      if (agents_[i].node != node.node || tasks[i].empty()) continue;
      if (!outcomes[i].failure.empty()) {
        node.missing = outcomes[i].failure;
        node.has_failed = true;
        continue;
      }
      for (BurnedGpu& gpu : parse_burned_gpus(outcomes[i].levels))
        node.gpus.push_back(std::move(gpu));
    }
    if (node.gpus.empty() && node.missing.empty()) node.missing = "CUDA finds none";
  }
  return burned;
}

}  // namespace slipway::bandwidth
