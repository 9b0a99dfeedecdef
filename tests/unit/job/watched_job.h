// A simulated job for tests of the judge of hangs and stragglers.
//
// Simulated, after what each fault does to a process: a stopped process uses no CPU time and has
// state T; ranks that wait for another one spin (NCCL) or block (sockets); a collective lasts for a
// rank from its own entry to the last one's. It shows what the rules do, and nothing about how
// often real jobs behave otherwise.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "launcher/job/watch_judge.h"

namespace slipway::job {

inline constexpr double sample_every = 4;  // seconds between samples, as agents send them
inline constexpr int watch_runs = 40;      // of each fault and each control

// A job of some nodes; ranks step together, and are sampled.
class WatchedJob {
 public:
  explicit WatchedJob(uint32_t seed)
      : random(seed),
        nodes(static_cast<int64_t>(3 + random() % 6)),
        per_node(random() % 2 == 0 ? 1 : 4),
        waits_spinning(random() % 2 == 0),
        step_seconds(between(0.5, 6)),
        output_every(between(5, 60)),
        states(static_cast<size_t>(nodes * per_node)) {
    for (int64_t rank = 0; rank < nodes * per_node; ++rank) {
      states[static_cast<size_t>(rank)].rank = rank;
      places.push_back(fmt::format("n{}", rank / per_node));
    }
  }

  double between(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  }
  int64_t any_rank() { return static_cast<int64_t>(random() % states.size()); }
  const std::string& node_of(int64_t rank) const { return places[static_cast<size_t>(rank)]; }
  RankSample& at(int64_t rank) { return states[static_cast<size_t>(rank)]; }

  void works(RankSample& rank, double seconds) {
    rank.cpu_seconds += seconds * between(0.9, 1.5);
    rank.state = 'R';
    rank.waits_in = "";
  }
  // As ranks of this job wait for another one in a collective.
  void waits(RankSample& rank, double seconds) {
    rank.cpu_seconds += seconds * (waits_spinning ? between(0.95, 1.05) : between(0, 0.08));
    rank.state = waits_spinning ? 'R' : 'S';
    rank.waits_in = waits_spinning ? "" : "wait_woken";
  }
  // Training, with output of rank 0 now and then.
  void trains(double now) {
    for (RankSample& rank : states) works(rank, sample_every);
    if (now - printed >= output_every) {
      printed = now;
      states[0].output_bytes += 80;
      states[0].file_bytes += 80;
    }
  }
  void sample(WatchJudge& judge, double now) const {
    for (const RankSample& rank : states) judge.add(now, rank);
  }

  std::mt19937 random;
  int64_t nodes, per_node;
  bool waits_spinning;
  double step_seconds, output_every;
  std::vector<RankSample> states;
  std::vector<std::string> places;
  double printed = 0;
};

// NCCL's inspector of one communicator over all ranks: `late` is how much longer a host computes.
inline void run_collectives(WatchedJob& job, WatchJudge& judge, double now, int64_t& sequence,
                            const std::string& host, double late,
                            const std::vector<int64_t>& absent = {}) {
  const auto count = static_cast<int>(std::max(1.0, sample_every / job.step_seconds));
  for (int i = 0; i < count; ++i, ++sequence) {
    std::vector<double> enters(job.states.size());
    for (size_t rank = 0; rank < enters.size(); ++rank) {
      enters[rank] = job.step_seconds * job.between(0.98, 1.02);
      if (job.places[rank] == host) enters[rank] += job.step_seconds * late;
      if (rank == 0 && sequence % 10 == 0) enters[rank] += job.step_seconds * 0.5;  // it logs
    }
    const double last = std::ranges::max(enters), lasts = 0.05 * job.step_seconds;
    for (size_t rank = 0; rank < enters.size(); ++rank) {
      if (std::ranges::find(absent, static_cast<int64_t>(rank)) != absent.end()) continue;
      judge.add(now, RankCollective{"0xa", static_cast<int64_t>(rank),
                                    static_cast<int64_t>(enters.size()), sequence,
                                    1e6 * (last - enters[rank] + lasts), 100});
    }
  }
}

struct WatchStudy {
  int right = 0, wrong = 0, missed = 0, unnamed = 0, late = 0;
  void count(const std::optional<WatchFinding>& found, const std::string& host, double threshold,
             double now) {
    if (!found) {
      ++missed;
    } else if (found->nodes.empty()) {
      ++unnamed;
    } else {
      ++(found->nodes == std::vector<std::string>{host} ? right : wrong);
    }
    late += found && now > threshold + 10 ? 1 : 0;
  }
  std::string text() const {
    return fmt::format("{} right, {} wrong, {} unnamed, {} missed, {} late", right, wrong, unnamed,
                       missed, late);
  }
};

}  // namespace slipway::job
