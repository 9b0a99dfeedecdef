// What the pairs of a scan say about its nodes, links and blocks, relative to each other.
#include "nccl-tests/scan_evidence.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "nccl-tests/statistics.h"

namespace slipway::bandwidth {
namespace {

// The number of failed pairs that make a node dead; one alone may be its partner's fault.
constexpr int least_failures = 2;
constexpr size_t least_times_of_link = 3;
// If fewer nodes than this are good, the others are not exceptions: nodes differ.
constexpr double least_share_of_good = 0.45;

uint64_t key_of(Pair pair) {
  const auto low = static_cast<uint64_t>(std::min(pair.a, pair.b));
  return low << 32 | static_cast<uint64_t>(std::max(pair.a, pair.b));
}

}  // namespace

Evidence::Evidence(const std::vector<ScanNode>& nodes, const std::vector<PairResult>& results,
                   const ScanSettings& settings)
    : groups_(nodes), log_drop_(-std::log1p(-settings.detect)), seen_(nodes.size()) {
  for (const PairResult& result : results) {
    Seen seen{.partner = result.pair.b,
              .crosses = groups_.crosses(result.pair),
              .failed = !result.busbw_gb_per_s};
    seen_[static_cast<size_t>(result.pair.a)].push_back(seen);
    seen.partner = result.pair.a;
    seen_[static_cast<size_t>(result.pair.b)].push_back(seen);
  }
  count_rounds(results);
  fit_nodes(results);
  fit_blocks(results);
  find_links();
}

void Evidence::count_rounds(const std::vector<PairResult>& results) {
  std::map<int, int> balance;  // pairs across less pairs inside, by round
  for (const PairResult& result : results)
    balance[result.round] += groups_.crosses(result.pair) ? 1 : -1;
  for (const auto& [round, more_across] : balance)
    ++(more_across > 0 ? crossing_rounds_ : inside_rounds_);
}

void Evidence::fit_nodes(const std::vector<PairResult>& results) {
  std::vector<Observation> inside;
  for (const PairResult& result : results) {
    if (!result.busbw_gb_per_s || groups_.crosses(result.pair)) continue;
    inside.push_back({result.pair.a, result.pair.b, groups_.kind(result.pair), result.round,
                      std::log(*result.busbw_gb_per_s), key_of(result.pair)});
  }
  const bool is_empty = inside.empty();
  // What pairs with a guest are compared with. At the end: the others keep their places.
  for (const PairResult& result : results) {
    if (!groups_.has_guests() || !result.busbw_gb_per_s || !groups_.crosses(result.pair)) continue;
    inside.push_back({result.pair.a, result.pair.b, groups_.kind(result.pair), result.round,
                      std::log(*result.busbw_gb_per_s), key_of(result.pair), true});
  }
  fit_ = fit_units(static_cast<int>(seen_.size()), inside, log_drop_);
  pairs_needed_ = is_empty ? 0 : fit_.noise.pairs_for(log_drop_);
  // In the order of the results, each node's pairs are in the order of its seen ones.
  std::vector<size_t> next(seen_.size());
  size_t place = 0;
  for (const PairResult& result : results) {
    const bool fitted = result.busbw_gb_per_s && !groups_.crosses(result.pair);
    for (const int node : {result.pair.a, result.pair.b}) {
      Seen& seen = seen_[static_cast<size_t>(node)][next[static_cast<size_t>(node)]++];
      if (fitted) seen.relative = std::exp(fit_.relative[place]);
    }
    if (fitted) ++place;
  }
}

// Pairs of good nodes across blocks are pairs of their blocks.
void Evidence::fit_blocks(const std::vector<PairResult>& results) {
  if (groups_.blocks().size() < 2) return;
  std::map<int, int> places;
  for (const int block : groups_.blocks()) places.emplace(block, static_cast<int>(places.size()));
  std::vector<Observation> across;
  std::vector<std::pair<size_t, size_t>> seen_at;  // node, and its pair
  std::vector<size_t> next(seen_.size());
  for (const PairResult& result : results) {
    const size_t at_a = next[static_cast<size_t>(result.pair.a)]++;
    const size_t at_b = next[static_cast<size_t>(result.pair.b)]++;
    if (!result.busbw_gb_per_s || !groups_.crosses(result.pair)) continue;
    const auto a = places.find(groups_.of(result.pair.a)),
               b = places.find(groups_.of(result.pair.b));
    if (a == places.end() || b == places.end()) continue;
    if (!is_good(result.pair.a) || !is_good(result.pair.b)) continue;
    if (groups_.is_guest(result.pair.a) || groups_.is_guest(result.pair.b)) continue;
    across.push_back({a->second, b->second, 0, result.round, std::log(*result.busbw_gb_per_s),
                      key_of(result.pair)});
    seen_at.emplace_back(static_cast<size_t>(result.pair.a), at_a);
    seen_at.emplace_back(static_cast<size_t>(result.pair.b), at_b);
  }
  blocks_ = fit_units(static_cast<int>(places.size()), across, log_drop_);
  for (size_t i = 0; i < seen_at.size(); ++i)
    seen_[seen_at[i].first][seen_at[i].second].relative = std::exp(blocks_.relative[i / 2]);
}

void Evidence::find_links() {
  std::unordered_map<uint64_t, SlowLink> links;
  std::unordered_map<uint64_t, bool> pairs;
  for (int node = 0; node < static_cast<int>(seen_.size()); ++node) {
    for (const Seen& seen : of(node)) {
      if (seen.crosses || seen.partner < node || seen.failed) continue;
      const uint64_t key = key_of({node, seen.partner});
      pairs[key] = true;
      if (!is_good(node) || !is_good(seen.partner)) continue;
      SlowLink& link = links[key];
      link.pair = {node, seen.partner};
      link.relatives.push_back(seen.relative);
    }
  }
  coverage_ = {static_cast<int64_t>(pairs.size()), groups_.pairs_inside()};
  const double low = std::exp(low_link());
  for (auto& [key, link] : links) {
    if (std::ranges::all_of(link.relatives, [&](double one) { return one < low; }))
      links_.push_back(std::move(link));
  }
  std::ranges::sort(links_, [](const SlowLink& a, const SlowLink& b) {
    return std::pair(a.pair.a, a.pair.b) < std::pair(b.pair.a, b.pair.b);
  });
}

double Evidence::low_link() const {
  return -std::max(0.7 * log_drop_, 3 * noise().deviation());
}

// So often that chance makes no pair of the scan low every time.
size_t Evidence::times_of_link() const {
  constexpr double least_share = 0.00135;  // below three deviations of a normal distribution
  const double share = std::clamp(noise().share_below(low_link()), least_share, 0.9);
  const auto pairs = static_cast<double>(std::max<int64_t>(coverage_.measured, 1));
  const double times = std::log(false_names_of_scan / pairs) / std::log(share);
  return std::max<size_t>(least_times_of_link, static_cast<size_t>(std::ceil(times)));
}

int Evidence::failures(int node) const {
  return static_cast<int>(std::ranges::count_if(of(node), [&](const Seen& seen) {
    if (!seen.failed) return false;
    return std::ranges::any_of(of(seen.partner), [](const Seen& one) { return !one.failed; });
  }));
}

bool Evidence::is_dead(int node) const {
  const auto& all = of(node);
  return failures(node) >= least_failures && std::ranges::all_of(all, &Seen::failed);
}

bool Evidence::is_judged(int node) const {
  return fit_of(node).met_good && fit_.detectable(node) <= log_drop_;
}

bool Evidence::allows_judgment() const {
  const auto judged = std::ranges::count_if(fit_.units, [&](const UnitFit& unit) {
    return unit.met_good && noise().detectable(unit.pairs) <= log_drop_;
  });
  const auto measured =
      std::ranges::count_if(fit_.units, [](const UnitFit& unit) { return unit.pairs > 0; });
  return judged * 2 > measured && most_are_alike();
}

bool Evidence::most_are_alike() const {
  const auto good = std::ranges::count_if(fit_.units, &UnitFit::good);
  const auto measured =
      std::ranges::count_if(fit_.units, [](const UnitFit& unit) { return unit.pairs > 0; });
  return static_cast<double>(good) >= least_share_of_good * static_cast<double>(measured);
}

bool Evidence::blocks_allow_judgment() const {
  return std::ranges::all_of(blocks_.units, [&](const UnitFit& unit) {
    return unit.met_good && blocks_.noise.detectable(unit.pairs) <= log_drop_;
  });
}

}  // namespace slipway::bandwidth
