// Decides which pairs of nodes to measure next to find the slow ones.
#include "nccl-tests/scan_plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "nccl-tests/scan_evidence.h"

namespace slipway::bandwidth {
namespace {

constexpr size_t pairs_of_each = 2;  // before any node is suspected

uint64_t next_random(uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;  // splitmix64, as in the data of the checked runs
  uint64_t x = state;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

// Fisher and Yates. std::shuffle would give different orders with different standard libraries.
std::vector<int> shuffled(std::vector<int> order, uint64_t seed) {
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[next_random(seed) % i]);
  }
  return order;
}

std::map<int, std::vector<int>> by_block(const std::vector<ScanNode>& nodes,
                                         const std::vector<int>& order) {
  std::map<int, std::vector<int>> blocks;
  for (const int node : order) blocks[nodes[static_cast<size_t>(node)].block].push_back(node);
  return blocks;
}

// Neighbors in the shuffled order of each block, and in the second round each node's other
// neighbor. The nodes left over in blocks with an odd number of nodes are paired with each other.
Round neighbor_pairs(const std::vector<ScanNode>& nodes, const std::vector<int>& order,
                     bool second) {
  Round round;
  std::vector<int> left;
  for (auto& [block, members] : by_block(nodes, order)) {
    std::vector<int> turned = members;
    if (second && turned.size() > 2) std::rotate(turned.begin(), turned.begin() + 1, turned.end());
    for (size_t i = 0; i + 1 < turned.size(); i += 2) round.push_back({turned[i], turned[i + 1]});
    if (turned.size() % 2 == 1) left.push_back(turned.back());
  }
  for (size_t i = 0; i + 1 < left.size(); i += 2) round.push_back({left[i], left[i + 1]});
  return round;
}

class Planner {
 public:
  Planner(const std::vector<ScanNode>& nodes, const std::vector<PairResult>& results,
          const ScanSettings& settings)
      : nodes_(nodes),
        results_(results),
        evidence_(nodes, results, settings),
        order_(nodes.size()),
        done_(rounds_done(results)) {
    std::iota(order_.begin(), order_.end(), 0);
    order_ = shuffled(order_, settings.seed);
  }

  Round later_round() {
    add_suspects_and_unseen();
    add_links();
    add_crossings();
    return std::move(round_);
  }

  Round first_round() const { return neighbor_pairs(nodes_, order_, done_ == 1); }

 private:
  bool is_free(int node) const { return !busy_.contains(node); }
  void add(int a, int b) {
    round_.push_back({a, b});
    busy_.insert(a);
    busy_.insert(b);
  }

  bool have_met(int a, int b) const {
    const auto& all = evidence_.of(a);
    return std::ranges::any_of(all, [&](const Seen& seen) { return seen.partner == b; });
  }

  // A good node that is free, preferably of the same block and not paired with this one before.
  std::optional<int> partner_for(int node) const {
    std::optional<int> best;
    int best_rank = -1;
    for (const int other : order_) {
      if (other == node || !is_free(other) || !evidence_.is_good(other)) continue;
      const bool near =
          nodes_[static_cast<size_t>(other)].block == nodes_[static_cast<size_t>(node)].block;
      const int rank = (near ? 2 : 0) + (have_met(node, other) ? 0 : 1);
      if (rank > best_rank) {
        best = other;
        best_rank = rank;
      }
    }
    return best;
  }

  void add_suspects_and_unseen() {
    for (const int node : order_) {
      const bool unseen = evidence_.of(node).size() < pairs_of_each;
      if (!is_free(node) || !(unseen || evidence_.is_suspect(node))) continue;
      if (const auto partner = partner_for(node)) add(node, *partner);
    }
  }

  void add_links() {
    for (const Pair& link : evidence_.suspect_links()) {
      if (is_free(link.a) && is_free(link.b)) add(link.a, link.b);
    }
  }

  // Pairs each node with a node of another block once, and again with a different one if a block's
  // uplink is suspected.
  void add_crossings() {
    const auto blocks = by_block(nodes_, order_);
    if (blocks.size() < 2) return;
    const bool crossed = std::ranges::any_of(results_, [&](const PairResult& result) {
      return done_ > 2 && result.round >= 2 && block_of(result.pair.a) != block_of(result.pair.b);
    });
    if (crossed && evidence_.suspect_blocks().empty()) return;
    std::vector<int> free;
    size_t largest = 0;
    for (const auto& [block, members] : blocks) {
      largest = std::max(largest, members.size());
      for (const int node : members) {
        if (is_free(node)) free.push_back(node);
      }
    }
    // The list is sorted by block, so half its length, or a block less, leads to another block.
    size_t distance = free.size() / 2;
    if (crossed && distance > largest) distance -= largest;
    for (size_t i = 0; i + distance < free.size(); ++i) {
      const int a = free[i], b = free[i + distance];
      if (is_free(a) && is_free(b) && block_of(a) != block_of(b)) add(a, b);
    }
  }

  int block_of(int node) const { return nodes_[static_cast<size_t>(node)].block; }

  const std::vector<ScanNode>& nodes_;
  const std::vector<PairResult>& results_;
  Evidence evidence_;
  std::vector<int> order_;
  int done_;
  Round round_;
  std::set<int> busy_;
};

}  // namespace

int rounds_done(const std::vector<PairResult>& results) {
  int rounds = 0;
  for (const PairResult& result : results) rounds = std::max(rounds, result.round + 1);
  return rounds;
}

Round next_round(const std::vector<ScanNode>& nodes, const std::vector<PairResult>& results,
                 const ScanSettings& settings) {
  const int done = rounds_done(results);
  if (nodes.size() < 2 || done >= settings.most_rounds) return {};
  Planner planner(nodes, results, settings);
  return done < 2 ? planner.first_round() : planner.later_round();
}

}  // namespace slipway::bandwidth
