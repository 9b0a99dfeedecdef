// The evidence that the pairs of a scan give for each node, relative to all others.
#include "nccl-tests/scan_evidence.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "nccl-tests/statistics.h"

namespace slipway::bandwidth {
namespace {

// How many standard deviations a mean must be below the others. With four pairs of a node, this is
// nearly five deviations of their mean. Deviations are of logarithms, since noise multiplies a
// bandwidth, and a node at a thirtieth of the bandwidth must be found even under much noise.
constexpr double deviations_below = 2.4;

struct MeasuredPair {
  Pair pair;
  double busbw = 0;
};

bool crosses(const std::vector<ScanNode>& nodes, Pair pair) {
  return nodes[static_cast<size_t>(pair.a)].block != nodes[static_cast<size_t>(pair.b)].block;
}

// The bandwidth of pairs of good nodes. A slow node spoils every pair that it is in, so this takes
// each node's best pair and their median, then the median of all pairs near that.
double reference(const std::vector<MeasuredPair>& pairs, double least_drop,
                 std::vector<double>& deviations) {
  std::map<int, double> best;
  for (const MeasuredPair& one : pairs) {
    for (const int node : {one.pair.a, one.pair.b}) best[node] = std::max(best[node], one.busbw);
  }
  std::vector<double> values;
  for (const auto& [node, busbw] : best) values.push_back(busbw);
  double found = median_of(values);
  for (int pass = 0; pass < 2; ++pass) {
    values.clear();
    for (const MeasuredPair& one : pairs) {
      if (one.busbw >= found * (1 - least_drop)) values.push_back(one.busbw);
    }
    found = median_of(values);
  }
  for (const double value : values) deviations.push_back(std::fabs(std::log(value / found)));
  return found;
}

}  // namespace

Evidence::Evidence(const std::vector<ScanNode>& nodes, const std::vector<PairResult>& results,
                   const ScanSettings& settings)
    : nodes_(nodes), seen_(nodes.size()) {
  std::map<bool, std::vector<MeasuredPair>> measured;  // across blocks, and inside
  for (const PairResult& result : results) {
    if (!result.busbw_gb_per_s) continue;
    measured[crosses(nodes, result.pair)].push_back({result.pair, *result.busbw_gb_per_s});
  }
  std::map<bool, double> good;
  std::vector<double> deviations;
  for (const auto& [across, pairs] : measured) {
    good[across] = reference(pairs, settings.least_drop, deviations);
  }
  for (const PairResult& result : results) {
    const bool across = crosses(nodes, result.pair);
    Seen seen{.partner = result.pair.b, .crosses = across, .failed = !result.busbw_gb_per_s};
    if (result.busbw_gb_per_s) seen.relative = *result.busbw_gb_per_s / good[across];
    seen_[static_cast<size_t>(result.pair.a)].push_back(seen);
    seen.partner = result.pair.a;
    seen_[static_cast<size_t>(result.pair.b)].push_back(seen);
  }
  const double deviation = deviations.empty() ? 0 : mad_to_deviation * median_of(deviations);
  low_ = std::min(1 - settings.least_drop, std::exp(-deviations_below * deviation));
  good_ = 1 - settings.least_drop / 2;
}

bool Evidence::is_suspect(int node) const {
  bool seen_inside = false;
  for (const Seen& seen : of(node)) {
    if (seen.crosses) continue;
    seen_inside = true;
    if (!seen.failed && seen.relative >= good_) return false;
  }
  if (seen_inside) return true;
  // A node that is alone in its block has only pairs that cross blocks.
  const auto& all = of(node);
  return !all.empty() && std::ranges::all_of(all, [&](const Seen& seen) {
    return seen.failed || seen.relative < good_;
  });
}

bool Evidence::is_good(int node) const {
  return !of(node).empty() && !is_suspect(node);
}

std::optional<double> Evidence::estimate(int node) const {
  double sum = 0, sum_of_all = 0;
  int count = 0, count_of_all = 0;
  for (const Seen& seen : of(node)) {
    if (seen.failed) continue;
    sum_of_all += seen.relative;
    ++count_of_all;
    if (is_suspect(seen.partner)) continue;
    sum += seen.relative;
    ++count;
  }
  if (count > 0) return sum / count;
  return count_of_all > 0 ? std::optional(sum_of_all / count_of_all) : std::nullopt;
}

std::vector<double> Evidence::relatives(Pair pair) const {
  std::vector<double> found;
  for (const Seen& seen : of(pair.a)) {
    if (seen.partner == pair.b && !seen.failed) found.push_back(seen.relative);
  }
  return found;
}

std::vector<Pair> Evidence::suspect_links() const {
  std::vector<Pair> links;
  for (int node = 0; node < static_cast<int>(nodes_.size()); ++node) {
    if (is_suspect(node)) continue;
    std::set<int> partners;
    for (const Seen& seen : of(node)) {
      if (seen.partner > node && !seen.crosses) partners.insert(seen.partner);
    }
    for (const int partner : partners) {
      const std::vector<double> found = relatives({node, partner});
      const bool always_low = !found.empty() && std::ranges::all_of(found, [&](double relative) {
        return relative < low_;
      });
      if (always_low && !is_suspect(partner)) links.push_back({node, partner});
    }
  }
  return links;
}

std::vector<int> Evidence::suspect_blocks() const {
  struct Count {
    int low = 0, all = 0;
  };
  std::map<int, Count> blocks;
  for (int node = 0; node < static_cast<int>(nodes_.size()); ++node) {
    if (is_suspect(node)) continue;
    Count& count = blocks[nodes_[static_cast<size_t>(node)].block];
    for (const Seen& seen : of(node)) {
      if (!seen.crosses || seen.failed || is_suspect(seen.partner)) continue;
      count.all += 1;
      count.low += seen.relative < low_ ? 1 : 0;
    }
  }
  std::vector<int> suspects;
  for (const auto& [block, count] : blocks) {
    if (count.all >= 2 && count.low * 4 >= count.all * 3) suspects.push_back(block);
  }
  return suspects;
}

}  // namespace slipway::bandwidth
