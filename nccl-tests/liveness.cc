// Decides on rank 0, from the ranks' heartbeats, whether the run has to end, and which rank is the
// cause.
#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "common/text.h"
#include "nccl-tests/heartbeat.h"
#include "nccl-tests/ranks.h"

namespace slipway::bandwidth {
namespace {

std::string name(const std::vector<RankStatus>& ranks, size_t rank) {
  return fmt::format("rank {} on {}", rank, ranks[rank].host);
}

// Three heartbeats.
constexpr double silent_seconds = 3;

std::string doing(const RankStatus& life, double now) {
  std::string text = fmt::format("{}, operation {}", life.phase, life.operations);
  if (!life.left && now - life.heard > silent_seconds) text += ", silent";
  return text;
}

// One line for all ranks with the same phase and operation, so that a rank that lags has its own.
std::string by_phase(const std::vector<RankStatus>& ranks, double now) {
  std::map<std::string, std::vector<size_t>> groups;
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    groups[doing(ranks[rank], now)].push_back(rank);
  std::string text;
  for (const auto& [what, members] : groups) {
    std::vector<std::string> hosts;
    for (const size_t rank : members) {
      if (hosts.empty() || hosts.back() != ranks[rank].host) hosts.push_back(ranks[rank].host);
    }
    const double since = now - ranks[members.front()].moved;
    text += fmt::format("\n  rank{} {} on {}: {}, since {:.0f} s", members.size() == 1 ? "" : "s",
                        rank_ranges(members), join(hosts, ", "), what, since);
  }
  return text;
}

}  // namespace

std::string end_reason(const std::vector<RankStatus>& ranks, double now, double timeout_seconds,
                       double silence_seconds) {
  // A rank that has gone is the cause; the failures of others are its consequences.
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    if (ranks[rank].gone) {
      return fmt::format("{} has gone; its last phase was: {}", name(ranks, rank),
                         ranks[rank].phase);
    }
  }
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    if (!ranks[rank].failure.empty()) {
      return fmt::format("{}: {}", name(ranks, rank), ranks[rank].failure);
    }
  }
  double newest = 0;
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    const RankStatus& life = ranks[rank];
    if (!life.left && now - life.heard > silence_seconds) {
      return fmt::format("{} has been silent for {:.0f} s; its last phase was: {}{}",
                         name(ranks, rank), now - life.heard, life.phase, by_phase(ranks, now));
    }
    newest = std::max(newest, life.moved);
  }
  if (timeout_seconds <= 0 || now - newest <= timeout_seconds) return "";
  return fmt::format("nothing has moved for {:.0f} s{}", now - newest, by_phase(ranks, now));
}

}  // namespace slipway::bandwidth
