// Made-up clusters for the scan: capacities of nodes, and noise of pairs in several shapes.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "nccl-tests/scan_plan.h"
#include "nccl-tests/scan_verdict.h"

namespace slipway::bandwidth {

enum class PairNoiseShape {
  operation,
  pair,
  heavy,
  bimodal,
  drifting,
  round_offset,
  node_offset,
  // Those that no constant of the scan was chosen on.
  one_sided,
  two_routes,
  late_pairs,
  block_offset,
  mixed
};

// Faults slow a node down; pairs are as fast as the slower of their nodes, times noise.
class NoisyPairs {
 public:
  NoisyPairs(int count, PairNoiseShape shape, double deviation, uint64_t seed)
      : nodes(static_cast<size_t>(count)),
        capacity(nodes.size(), 1),
        shape_(shape),
        deviation_(deviation),
        random_(seed),
        state_(nodes.size()),
        of_blocks_(nodes.size() / 16 + 1) {
    for (int i = 0; i < count; ++i) nodes[static_cast<size_t>(i)].name = "n" + std::to_string(i);
    for (double& one : state_) one = normal_(random_);
  }

  // `faults` nodes of those drops, 0.05 for 5 %.
  void make_slow(int faults, double least_drop, double most_drop) {
    while (static_cast<int>(slow.size()) < faults) {
      const int node = static_cast<int>(uniform_(random_) * static_cast<double>(nodes.size()));
      if (!slow.insert(node).second) continue;
      capacity[static_cast<size_t>(node)] =
          1 - (least_drop + (most_drop - least_drop) * uniform_(random_));
    }
  }

  std::vector<PairResult> measure(const Round& round, int number) {
    const double offset = normal_(random_);
    for (double& one : of_blocks_) {
      if (shape_ == PairNoiseShape::block_offset) one = normal_(random_);
    }
    for (double& one : state_) {
      if (shape_ == PairNoiseShape::drifting || shape_ == PairNoiseShape::mixed)
        one = 0.9 * one + std::sqrt(0.19) * normal_(random_);
    }
    std::vector<PairResult> results;
    for (const Pair& pair : round) {
      const double speed = std::min(capacity[at(pair.a)], capacity[at(pair.b)]);
      results.push_back({number, pair, 25 * speed * std::exp(noise(pair, offset)), ""});
    }
    return results;
  }

  std::vector<PairResult> scan(const ScanSettings& settings) {
    std::vector<PairResult> results;
    for (;;) {
      const Round round = next_round(nodes, results, settings);
      if (round.empty()) return results;
      const auto measured = measure(round, rounds_done(results));
      results.insert(results.end(), measured.begin(), measured.end());
    }
  }

  std::vector<ScanNode> nodes;
  std::vector<double> capacity;
  std::set<int> slow;

 private:
  static size_t at(int node) { return static_cast<size_t>(node); }

  double noise(Pair pair, double offset) {
    const double own = deviation_ * normal_(random_);
    switch (shape_) {
      case PairNoiseShape::operation:
        return own;
      case PairNoiseShape::pair: {
        const std::pair key(std::min(pair.a, pair.b), std::max(pair.a, pair.b));
        return of_pairs_.emplace(key, own).first->second;
      }
      case PairNoiseShape::heavy:
        return deviation_ * student_(random_);
      case PairNoiseShape::bimodal:  // one in ten shares its route
        return own + (uniform_(random_) < 0.1 ? std::log(0.8) : 0);
      case PairNoiseShape::drifting:
        return deviation_ * (state_[at(pair.a)] + state_[at(pair.b)]) / std::sqrt(2.0);
      case PairNoiseShape::round_offset:
        return deviation_ * offset + 0.01 * normal_(random_);
      case PairNoiseShape::node_offset:
        return deviation_ * std::min(state_[at(pair.a)], state_[at(pair.b)]) +
               0.01 * normal_(random_);
      case PairNoiseShape::one_sided:  // never faster, sometimes much slower
        return -deviation_ * std::exp(normal_(random_)) / 2.16;
      case PairNoiseShape::two_routes: {  // a fifth of the pairs have a worse one for good
        const std::pair key(std::min(pair.a, pair.b), std::max(pair.a, pair.b));
        const double route = uniform_(random_) < 0.2 ? -2.5 * deviation_ : 0;
        return of_pairs_.emplace(key, route).first->second + 0.3 * own;
      }
      case PairNoiseShape::late_pairs:  // one measurement in twenty takes twice as long
        return own + (uniform_(random_) < 0.05 ? std::log(0.5) : 0);
      case PairNoiseShape::block_offset:  // sixteen nodes share a switch that others use, too
        return deviation_ * std::min(of_blocks_[at(pair.a / 16)], of_blocks_[at(pair.b / 16)]) +
               0.01 * normal_(random_);
      case PairNoiseShape::mixed:
        return deviation_ * (0.5 * offset + 0.4 * (state_[at(pair.a)] + state_[at(pair.b)]) +
                             0.4 * student_(random_));
    }
    return 0;
  }

  PairNoiseShape shape_;
  double deviation_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::student_t_distribution<double> student_{3};
  std::uniform_real_distribution<double> uniform_;
  std::vector<double> state_, of_blocks_;
  std::map<std::pair<int, int>, double> of_pairs_;
};

// What many scans of made-up clusters said.
struct ManyScans {
  int scans = 0, judged = 0;       // "judged": not too noisy
  int faults = 0, missed = 0;      // of 10 % and more, in judged scans
  int wrong = 0, wrong_scans = 0;  // healthy nodes named
  int named_unjudged = 0;          // nodes named by a scan that says it is too noisy
  int rounds = 0;
};

struct ScanTrial {
  PairNoiseShape shape;
  double deviation = 0;
  int scans = 10;
  int most_faults = 8;
  int least_nodes = 16, most_nodes = 512;
  uint64_t seed = 1;
};

inline ManyScans scan_many(const ScanTrial& trial) {
  ManyScans all;
  for (int i = 0; i < trial.scans; ++i) {
    const uint64_t seed = trial.seed * 1000003 + static_cast<uint64_t>(i);
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform;
    const double least = trial.least_nodes;
    const int count = static_cast<int>(least * std::pow(trial.most_nodes / least, uniform(random)));
    NoisyPairs world(count, trial.shape, trial.deviation, seed + 1);
    if (trial.most_faults > 0)
      world.make_slow(1 + static_cast<int>(uniform(random) * trial.most_faults), 0.05, 0.4);
    const ScanSettings settings{.seed = seed};
    const auto results = world.scan(settings);
    std::set<int> named;
    bool judged = true;
    for (const Finding& finding : findings(world.nodes, results, settings)) {
      if (finding.what == Finding::What::node) named.insert(finding.nodes.front());
      if (finding.what == Finding::What::too_noisy) judged = false;
    }
    int wrong = 0;
    for (const int node : named) wrong += world.slow.contains(node) ? 0 : 1;
    ++all.scans;
    all.rounds += rounds_done(results);
    all.judged += judged ? 1 : 0;
    all.wrong += wrong;
    all.wrong_scans += wrong > 0 ? 1 : 0;
    if (!judged) all.named_unjudged += static_cast<int>(named.size());
    for (const int node : world.slow) {
      if (!judged || world.capacity[static_cast<size_t>(node)] > 0.9) continue;
      ++all.faults;
      all.missed += named.contains(node) ? 0 : 1;
    }
  }
  return all;
}

}  // namespace slipway::bandwidth
