// A seeded study of the judge of hangs and stragglers, and of its rules.
//
// Simulated, after what each fault does to a process: a stopped process uses no CPU time and has
// state T; ranks that wait for another one spin (NCCL) or block (sockets); a collective lasts for a
// rank from its own entry to the last one's. It shows what the rules do, and nothing about how
// often real jobs behave otherwise.
#include "launcher/job/watch_judge.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "tests/unit/catch.h"

using namespace slipway::job;

namespace {

constexpr double sample_every = 4;  // seconds between samples, as agents send them
constexpr int watch_runs = 40;      // of each fault and each control

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
void run_collectives(WatchedJob& job, WatchJudge& judge, double now, int64_t& sequence,
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

enum class HangKind { stopped, busy_loop, blocked_accept };

// Trains for some minutes; then one rank is at fault, and the others wait for it.
void hang_once(uint32_t seed, HangKind fault, WatchStudy& study) {
  WatchedJob job(seed);
  WatchLimits limits;
  limits.hang_seconds = job.between(130, 400);  // above twice the longest pause between two lines
  WatchJudge judge(limits, job.places, 0);
  const double begins = job.between(100, 400);
  const int64_t rank = job.any_rank();
  // Jobs that spin use NCCL, and are watched with its inspector; the others are not.
  int64_t sequence = 0;
  double now = 0, life = 0;
  std::optional<WatchFinding> found;
  for (; !found && now < begins + 2000; now += sample_every) {
    if (now < begins) {
      job.trains(now);
      if (job.printed == now || job.waits_spinning) life = now;
      if (job.waits_spinning) run_collectives(job, judge, now, sequence, "", 0);
    } else {
      if (job.waits_spinning && now < begins + sample_every) {
        job.step_seconds = 10;  // one more collective, without it
        run_collectives(job, judge, now, sequence, "", 0, {rank});
        life = now;
      }
      for (RankSample& other : job.states) job.waits(other, sample_every);
      RankSample& own = job.at(rank);
      if (fault == HangKind::busy_loop) {
        job.works(own, sample_every);
      } else {
        own.cpu_seconds = std::floor(own.cpu_seconds);  // it uses none from now on
        own.state = fault == HangKind::stopped ? 'T' : 'S';
        own.waits_in = fault == HangKind::stopped ? "" : "inet_csk_accept";
      }
    }
    job.sample(judge, now);
    found = judge.hang(now);
    if (found) break;
  }
  study.count(found, job.node_of(rank), life + limits.hang_seconds, now);
}

}  // namespace

TEST_CASE(
    "watch: of hangs by a stopped, a looping and a blocked rank, 95 % name the right host, in "
    "time") {
  for (const HangKind fault : {HangKind::stopped, HangKind::busy_loop, HangKind::blocked_accept}) {
    WatchStudy study;
    for (uint32_t seed = 1; seed <= watch_runs; ++seed)
      hang_once(1000 * (1 + static_cast<uint32_t>(fault)) + seed, fault, study);
    INFO(static_cast<int>(fault) << ": " << study.text());
    CHECK(study.right >= watch_runs * 95 / 100);
    CHECK(study.missed == 0);
    CHECK(study.late == 0);
  }
}

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

TEST_CASE(
    "watch: no alarm in checkpoints, evaluation, compilation, and for a rank that rightly waits") {
  int alarms = 0;
  for (const int kind : {0, 1, 2, 3}) {
    for (uint32_t seed = 1; seed <= watch_runs; ++seed) {
      WatchedJob job(6000 + 100 * static_cast<uint32_t>(kind) + seed);
      WatchJudge judge({}, job.places, 0);
      const double begins = kind == 2 ? 0 : job.between(60, 600);
      const double lasts = kind == 0 && seed % 2 == 0 ? 1800 : 300;  // long ones are written
      int64_t sequence = 0;
      const int64_t idle = job.any_rank();
      for (double now = 0; now < begins + lasts + 300; now += sample_every) {
        const bool pauses = now >= begins && now < begins + lasts;
        if (!pauses || kind == 3) {
          job.trains(now);
          if (job.waits_spinning) run_collectives(job, judge, now, sequence, "", 0);
        } else if (kind == 0) {  // rank 0 writes, the others wait
          for (RankSample& rank : job.states) job.waits(rank, sample_every);
          job.works(job.states[0], sample_every / 2);
          if (lasts > 300)
            job.states[0].file_bytes += static_cast<int64_t>(sample_every * job.between(5e6, 5e8));
        } else if (kind == 1) {  // rank 0 evaluates in silence
          for (RankSample& rank : job.states) job.waits(rank, sample_every);
          job.works(job.states[0], sample_every);
        } else {
          for (RankSample& rank : job.states) job.works(rank, sample_every);
        }
        if (kind == 3) {
          RankSample& rank = job.at(idle);
          rank.cpu_seconds = 1;
          rank.state = 'S';
          rank.waits_in = "futex_wait_queue";
        }
        job.sample(judge, now);
        const auto hang = judge.hang(now), slow = judge.straggler(now);
        INFO(kind << " " << seed << " " << (hang ? hang->evidence : slow ? slow->evidence : ""));
        CHECK((!hang && !slow));
        alarms += hang || slow ? 1 : 0;
      }
    }
  }
  CHECK(alarms == 0);
}

TEST_CASE("watch: a quiet phase that ends by itself raises the threshold") {
  WatchLimits limits;
  limits.hang_seconds = 100;
  WatchJudge judge(limits, {"a", "b", "c"}, 0);
  CHECK(!judge.hang(99));
  CHECK(judge.hang(100));
  CHECK(!judge.hang(150));  // told once
  judge.alive(160);
  CHECK(judge.ended_by_itself() == 160);
  CHECK(!judge.ended_by_itself());
  CHECK(!judge.hang(479));
  CHECK(judge.hang(480));
}

TEST_CASE("watch: of two ranks, only what proves itself names one") {
  for (const bool stopped : {false, true}) {
    WatchLimits limits;
    limits.hang_seconds = 20;
    WatchJudge judge(limits, {"a", "b"}, 0);
    for (double now = 0; now <= 20; now += 4) {
      judge.add(now, RankSample{0, now, 0, 0, 'R', ""});
      judge.add(now, RankSample{1, 0, 0, 0, stopped ? 'T' : 'S', stopped ? "" : "wait_woken"});
    }
    const auto found = judge.hang(20);
    REQUIRE(found);
    CHECK(found->nodes == (stopped ? std::vector<std::string>{"b"} : std::vector<std::string>{}));
    CHECK(found->evidence ==
          fmt::format("no output, no step and no file transfer of 2 ranks for 20 s; {}",
                      stopped ? "rank 1 is stopped (on b)" : "no rank differs from the others"));
  }
}

TEST_CASE("watch: the rank whose GPU is idle did not start the kernel in which all others wait") {
  const auto suspects = [](std::vector<int64_t> percents) {
    WatchJudge judge({}, {"n0", "n1", "n2", "n3"}, 0);
    for (double now = 4; now <= 604; now += 4) {
      for (int64_t rank = 0; rank < 4; ++rank) {
        RankSample sample{rank, now, 0, 0, 'R', ""};  // all of them spin
        if (static_cast<int64_t>(now) % 20 == 0)
          sample.gpu_percent = percents[static_cast<size_t>(rank)];
        judge.add(now, sample);
      }
    }
    return judge.hang(604).value();
  };
  const WatchFinding idle = suspects({100, 100, 0, 99});
  CHECK(idle.nodes == std::vector<std::string>{"n2"});
  CHECK_THAT(
      idle.evidence,
      ContainsSubstring("the GPU of rank 2 is idle, and those of all others are busy (on n2)"));
  CHECK(suspects({0, 100, 0, 2}).nodes == std::vector<std::string>{"n1"});
  // Neither proves anything.
  CHECK(suspects({0, 0, 0, 0}).nodes.empty());
  CHECK(suspects({100, 50, 0, 100}).nodes.empty());
  CHECK(suspects({100, 100, 0, -1}).nodes.empty());
}

TEST_CASE("watch: a rank that always wants to run is busy, however little it gets") {
  WatchJudge judge({}, {"n0", "n1", "n2"}, 0);
  for (double now = 4; now <= 604; now += 4) {
    for (int64_t rank = 0; rank < 3; ++rank) {
      const bool spins = rank == 1;
      judge.add(now, RankSample{rank, spins ? now / 10 : 0, 0, 0, spins ? 'R' : 'S',
                                spins ? "" : "wait_woken"});
    }
  }
  CHECK(judge.hang(604).value().nodes == std::vector<std::string>{"n1"});
}
