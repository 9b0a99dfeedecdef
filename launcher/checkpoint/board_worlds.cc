// Steps that fit another number of ranks than wrote them.
#include <algorithm>

#include "launcher/checkpoint/board.h"

namespace slipway::checkpoint {

bool Board::is_replicated(const Step& step) {
  return step.present > 0 && step.present == static_cast<int64_t>(step.ranks.size()) &&
         std::ranges::all_of(step.ranks, [&](const RankStep& rank) {
           return rank.digest == step.ranks.front().digest;
         });
}

void Board::spread(Step& step, int64_t ranks) {
  std::set<std::string> all;
  for (const RankStep& rank : step.ranks) all.insert(rank.nodes.begin(), rank.nodes.end());
  const std::string digest = step.ranks.front().digest;
  step.ranks.resize(static_cast<size_t>(ranks));
  step.present = ranks;
  for (RankStep& rank : step.ranks) {
    rank.digest = digest;
    if (rank.nodes.empty()) rank.nodes = all;
  }
}

void Board::fit_steps(int64_t ranks) {
  for (auto& [number, step] : steps_)
    if (is_replicated(step)) spread(step, ranks);
  std::erase_if(steps_, [&](const auto& each) {
    return ranks != ranks_.size() && each.second.present != ranks;
  });
}

std::optional<int64_t> Board::step_for_any_world() const {
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step)
    if (step->second.present == ranks_.size() && is_replicated(step->second)) return step->first;
  return std::nullopt;
}

}  // namespace slipway::checkpoint
