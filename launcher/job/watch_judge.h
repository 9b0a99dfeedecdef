// Decides from outside whether a job hangs, and which host slows it down. A pure function of
// samples: the clock is that of the caller.
//
// A **hang** is a job without a sign of life from any of its ranks for `hang_seconds`. Signs of
// life are output, a step, a collective that NCCL's inspector reports, and file transfers at
// `alive_bytes_per_second` or more. CPU and GPU time are not: ranks that wait for another in NCCL
// spin, and look busy. So a rank that rightly waits while others work does not hang the job, and
// neither is a checkpoint that is being written. Quiet phases that end by themselves teach: a job
// that was quiet for 8 minutes and went on is judged after 16.
//
// Who did not enter is found by what sets a few ranks apart from all others, in this order: the
// lowest number of the last collective; a stopped process; a process stuck in the kernel; an idle
// GPU among busy ones, or a busy one among idle ones; the same of the CPU time; another place in
// the kernel where it waits. Few are one rank, or a quarter at most, and in a job of two ranks the
// CPU time and the place prove nothing: of a spinning and a blocked rank, either may be the one
// that waits. Then nobody is named.
//
// A **straggler** is a host whose ranks enter collectives last, again and again
// (collective_times.h). A host is named if others wait for it for `straggler_share` of the time, by
// the median over the collectives of `straggler_seconds`, twice in a row. A rank that is late now
// and then, because it logs or saves, does not move the median. A slow link slows a collective for
// all of its ranks alike: its host is found where several communicators exist, as the one that all
// slow ones share and that no fast one has.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "launcher/job/collective_times.h"
#include "launcher/job/rank_sample.h"

namespace slipway::job {

struct WatchLimits {
  // Longer than checkpoints and evaluations of most jobs, which take up to five minutes.
  double hang_seconds = 600;
  // A checkpoint is written at a hundred times this rate; logs and telemetry are below it.
  double alive_bytes_per_second = 256 * 1024;
  // Google reports stragglers within ten minutes; this is a tenth.
  double straggler_seconds = 30;
  // A host that costs less than this looks like uneven batches.
  double straggler_share = 0.10;
  // Of what communicators of the same size reach. Congestion takes a third at times.
  double slow_link_share = 0.6;
};

struct WatchFinding {
  std::string what;                // "hang", "straggler" or "slow link"
  std::vector<int64_t> ranks;      // that did not enter, or that come last; may be empty
  std::vector<std::string> nodes;  // of these
  double seconds = 0;              // of a hang: since the last sign of life
  double share = 0;                // of a straggler: of the time that others wait for it
  double since = 0;                // when it began, by the caller's clock
  std::string evidence;            // for people
};

class WatchJudge {
 public:
  // `nodes`: of each rank. `now`: when the attempt began.
  WatchJudge(WatchLimits limits, std::vector<std::string> nodes, double now);

  void add(double now, const RankSample& sample);
  void add(double now, const RankCollective& collective);
  void alive(double now);  // a step, or another sign of life of the job

  // A hang, once for each quiet phase.
  std::optional<WatchFinding> hang(double now);
  // Ends a quiet phase that was reported: how long it was. Once.
  std::optional<double> ended_by_itself();
  // A straggler or a slow link, once until another host is found.
  std::optional<WatchFinding> straggler(double now);
  // Collectives are reported, but too few that can be compared: true once.
  bool cannot_compare();
  // No collective has been reported.
  bool is_blind() const { return communicators_.empty(); }

 private:
  struct Seen {
    RankSample last;
    double at = 0;                              // of `last`
    std::deque<std::pair<double, double>> cpu;  // time and CPU seconds
    int64_t sequence = -1;                      // of its last collective, see `lowest`
    double stopped_since = -1, stuck_since = -1, runs_since = -1;  // -1: it is not, or does not
    std::deque<std::pair<double, int64_t>> gpu;                    // time and percent
  };
  struct Suspects {
    std::vector<int64_t> ranks;
    std::string evidence;
  };
  double limit() const;
  bool are_few(size_t count) const;
  Suspects suspects(double now) const;
  std::vector<int64_t> lowest_sequence() const;
  Suspects odd_cpu(double now) const;
  Suspects odd_gpu(double now) const;
  // The few that are apart from all others, if there are such.
  std::vector<int64_t> few_apart(const std::vector<int64_t>& busy,
                                 const std::vector<int64_t>& idle) const;
  Suspects odd_place() const;
  void name_nodes(WatchFinding& finding) const;
  std::map<std::string, CollectiveTimes::Lateness> lateness(double seconds);
  bool spans_hosts(const CollectiveTimes& communicator) const;
  std::optional<WatchFinding> slow_link() const;

  WatchLimits limits_;
  std::vector<std::string> nodes_;
  std::vector<Seen> ranks_;
  double last_life_, longest_quiet_ = 0, ended_quiet_ = -1;
  bool is_reported_ = false;

  std::map<std::string, CollectiveTimes> communicators_;
  int64_t windows_without_ = 0;  // in a row, in which nothing could be compared; -1: reported
  double window_began_;
  std::string late_host_, told_host_;
  double late_since_ = 0;
};

}  // namespace slipway::job
