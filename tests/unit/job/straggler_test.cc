// Tests of what is found in the times of collectives: seeded studies, and the rules.
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "tests/unit/catch.h"
#include "tests/unit/job/watched_job.h"

using namespace slipway::job;

namespace {

// A plugin that records a sample, as the inspector of NCCL 2.28 does: once a second, at a moment of
// its own for each rank, the last collective. A step is some AllReduces of two sizes, and an
// AllGather, which is counted by itself. `noise`: of a step, how much the time of a kernel varies.
class SampledJob {
 public:
  explicit SampledJob(WatchedJob& job, double noise) : job_(job), noise_(noise) {
    job.step_seconds = job.between(0.1, 0.5);
    for (size_t rank = 0; rank < job.states.size(); ++rank) dumps_.push_back(job.between(0, 1));
  }

  // All steps until then.
  void run(WatchJudge& judge, double until, const std::string& host, double late) {
    while (time_ < until) {
      ++step_;
      std::vector<double> enters;
      for (const std::string& place : job_.places)
        enters.push_back(job_.step_seconds *
                         (job_.between(0.98, 1.02) + (place == host ? late : 0)));
      if (step_ % 10 == 0) enters[0] += job_.step_seconds * 0.5;  // it logs
      const double last = std::ranges::max(enters);
      time_ += last;
      for (size_t rank = 0; rank < enters.size(); ++rank) {
        if (time_ < dumps_[rank]) continue;
        dumps_[rank] += 1;
        // Which one of the step was the last.
        const auto part = static_cast<int64_t>(job_.random() % 4);
        const double wait = (last - enters[rank]) / 4;
        const double noise = job_.step_seconds * noise_ * (job_.random() % 2 == 0 ? 0 : 1);
        const double lasts = job_.step_seconds * (part == 0 ? 0.02 : 0.005) + noise;
        RankCollective seen{"0xa",
                            static_cast<int64_t>(rank),
                            static_cast<int64_t>(enters.size()),
                            part == 3 ? step_ : 3 * step_ + part,
                            1e6 * (wait + lasts),
                            100};
        seen.function = part == 3 ? "AllGather" : "AllReduce";
        seen.bytes = part == 0 ? 1 << 24 : 1 << 20;
        judge.add(time_, seen);
      }
    }
  }

 private:
  WatchedJob& job_;
  double noise_, time_ = 0;
  int64_t step_ = 0;
  std::vector<double> dumps_;
};

}  // namespace

TEST_CASE("watch: a slow host is named by the inspector's times, and how much it costs") {
  WatchStudy study;
  for (uint32_t seed = 1; seed <= watch_runs; ++seed) {
    WatchedJob job(4000 + seed);
    job.step_seconds = job.between(0.1, 1);
    WatchJudge judge({}, job.places, 0);
    const std::string host = job.node_of(job.any_rank());
    const double slower = job.between(0.15, 0.6), begins = job.between(0, 300);
    int64_t sequence = 0;
    double now = 0;
    std::optional<WatchFinding> found;
    for (; !found && now < begins + 600; now += sample_every) {
      run_collectives(job, judge, now, sequence, now < begins ? "" : host, slower);
      found = judge.straggler(now);
      if (found) break;
    }
    // Two whole windows after it began.
    study.count(found, host, begins + 100, now);
    if (!found) continue;
    CHECK(found->what == "straggler");
    CHECK(found->share > 0.05);
    CHECK(found->since > begins - 40);
  }
  INFO(study.text());
  CHECK(study.right >= watch_runs * 95 / 100);
  CHECK(study.late == 0);
}

TEST_CASE("watch: a slow host is named where a plugin records only a sample") {
  WatchStudy study;
  for (uint32_t seed = 1; seed <= watch_runs; ++seed) {
    WatchedJob job(7000 + seed);
    SampledJob sampled(job, 0.01);
    WatchJudge judge({}, job.places, 0);
    const std::string host = job.node_of(job.any_rank());
    const double slower = job.between(0.2, 0.6), begins = job.between(0, 300);
    double now = 0;
    std::optional<WatchFinding> found;
    for (; !found && now < begins + 600; now += sample_every) {
      sampled.run(judge, now, now < begins ? "" : host, slower);
      found = judge.straggler(now);
      if (found) break;
      CHECK(!judge.cannot_compare());
    }
    study.count(found, host, begins + 100, now);
    if (!found) continue;
    CHECK(found->share > slower / (1 + slower) * 0.6);
    CHECK(found->share < slower / (1 + slower) * 1.4);
  }
  INFO(study.text());
  CHECK(study.right >= watch_runs * 95 / 100);
  CHECK(study.late <= watch_runs * 5 / 100);
}

TEST_CASE("watch: times of a sample that vary by themselves make nobody a straggler") {
  int alarms = 0;
  for (uint32_t seed = 1; seed <= watch_runs; ++seed) {
    WatchedJob job(8000 + seed);
    SampledJob sampled(job, 0.15);
    WatchJudge judge({}, job.places, 0);
    for (double now = 0; now < 1200; now += sample_every) {
      sampled.run(judge, now, "", 0);
      alarms += judge.straggler(now) ? 1 : 0;
    }
  }
  CHECK(alarms == 0);
}

TEST_CASE("watch: says once if the ranks' collectives have too little in common") {
  WatchJudge judge({}, {"n0", "n1"}, 0);
  CHECK(judge.is_blind());
  int said = 0;
  for (int64_t now = 0; now < 600; now += 4) {
    for (const int64_t rank : {0, 1})
      judge.add(static_cast<double>(now), RankCollective{"0xa", rank, 2, 2 * now + rank, 9000, 1});
    CHECK(!judge.straggler(static_cast<double>(now)));
    said += judge.cannot_compare() ? 1 : 0;
  }
  CHECK(said == 1);
  CHECK(!judge.is_blind());
  // Within one host, nobody waits for another host.
  WatchJudge alone({}, {"n0", "n0"}, 0);
  for (int64_t now = 0; now < 600; now += 4) {
    alone.add(static_cast<double>(now), RankCollective{"0xa", now / 4 % 2, 2, now, 9000, 1});
    alone.straggler(static_cast<double>(now));
    CHECK(!alone.cannot_compare());
  }
}

TEST_CASE("watch: when programs call collectives tells whether a host or its GPUs are late") {
  // `program`: how much later n1 calls collectives; `waits`: how long the others' kernels wait.
  const auto evidence = [](double program, double waits, bool has_times) {
    WatchJudge judge({}, {"n0", "n1", "n2"}, 0);
    int64_t sequence = 0;
    for (double now = 0; now <= 120; now += 4) {
      for (double time = now - 4; time < now; time += 0.5) {
        ++sequence;
        for (int64_t rank = 0; rank < 3; ++rank) {
          const double late = rank == 1 ? 1 : 0;
          RankCollective seen{"0xa", rank, 3, sequence, 0, 1};
          seen.start_microseconds = 1e6 * (1795718916 + time + late * program);
          if (has_times) seen.microseconds = 1e6 * (0.01 + (1 - late) * waits);
          judge.add(now, seen);
        }
      }
      if (const auto found = judge.straggler(now)) return found->evidence;
    }
    return std::string();
  };
  CHECK(
      evidence(0.1, 0.1, true) ==
      "n1 enters collectives last: the others wait for it for 20 % of the time; its program calls "
      "them late, since 64 s");
  CHECK_THAT(evidence(0, 0.1, true),
             ContainsSubstring("its program calls them in time, so its GPUs are slow"));
  CHECK_THAT(evidence(0.035, 0.1, true), !ContainsSubstring("its program"));
  // Kernels whose time nobody knows.
  CHECK_THAT(evidence(0.1, 0, false), ContainsSubstring("for 20 % of the time; its program"));
  // Programs run ahead of their GPUs, so a late call alone costs nothing.
  CHECK(evidence(0.1, 0, true).empty());
}

TEST_CASE("watch: what was left out of a record counts, too") {
  for (const int64_t stands_for : {1, 16}) {
    WatchJudge judge({}, {"n0", "n1"}, 0);
    std::optional<WatchFinding> found;
    int64_t sequence = 0;
    for (double now = 4; now <= 120 && !found; now += 4) {
      for (int i = 0; i < 8; ++i) {
        sequence += stands_for;
        for (const int64_t rank : {0, 1}) {
          RankCollective seen{"0xa", rank, 2, sequence, rank == 0 ? 10000.0 : 1000.0, 1};
          seen.stands_for = stands_for;
          judge.add(now, seen);
        }
      }
      found = judge.straggler(now);
    }
    // 9 ms of 500, or 16 times as often.
    CHECK(found.has_value() == (stands_for == 16));
    if (found) CHECK(fmt::format("{:.2f}", found->share) == "0.29");
  }
}

TEST_CASE("watch: a link at 30 % is named where several communicators exist") {
  WatchStudy study;
  for (uint32_t seed = 1; seed <= watch_runs; ++seed) {
    WatchedJob job(5000 + seed);
    job.nodes = 8;
    std::vector<std::string> places;
    for (int node = 0; node < 8; ++node) places.push_back(fmt::format("n{}", node));
    WatchJudge judge({}, places, 0);
    const auto slow = static_cast<int64_t>(job.random() % 8);
    double now = 0;
    int64_t sequence = 0;
    std::optional<WatchFinding> found;
    for (; now < 300; now += sample_every) {
      for (int i = 0; i < 10; ++i, ++sequence) {
        // Neighbors of a pipeline: each pair is a communicator.
        for (int64_t left = 0; left < 8; ++left) {
          const int64_t right = (left + 1) % 8;
          const double speed =
              80 * job.between(0.85, 1.05) * (left == slow || right == slow ? 0.3 : 1);
          for (const int64_t rank : {left, right})
            judge.add(now, RankCollective{fmt::format("pair {}", left), rank, 2, sequence,
                                          4e6 / speed, speed});
        }
      }
      found = judge.straggler(now);
      if (found) break;
    }
    study.count(found, fmt::format("n{}", slow), 70, now);
    if (found) CHECK(found->what == "slow link");
  }
  INFO(study.text());
  CHECK(study.right >= watch_runs * 95 / 100);
  CHECK(study.late == 0);
}
