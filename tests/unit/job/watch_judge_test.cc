// A seeded study of the judge of hangs, and of its rules.
#include "launcher/job/watch_judge.h"

#include <fmt/core.h>

#include <cmath>
#include <optional>

#include "tests/unit/catch.h"
#include "tests/unit/job/watched_job.h"

using namespace slipway::job;

namespace {

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

// On a GPU that ranks share, kernels of one rank took 7 or 9 ms, and those of the other 9 ms.
TEST_CASE("watch: collectives of one number, but of different functions, are different") {
  WatchJudge judge({}, {"n0", "n1", "n2", "n3"}, 0);
  const auto add = [&](double now, int64_t rank, const char* function, int64_t sequence) {
    RankCollective seen{"0xa", rank, 4, sequence, 61, 1};
    seen.function = function;
    judge.add(now, seen);
  };
  for (int64_t rank = 0; rank < 4; ++rank) {
    for (int64_t number = 1; number <= 90; ++number) add(1, rank, "AllReduce", number);
    for (int64_t number = 1; number <= 3; ++number) add(2, rank, "AllGather", number);
  }
  // Three enter the next AllGather, which is far below the last AllReduce.
  for (const int64_t rank : {0, 1, 3}) {
    RankCollective seen{"0xa", rank, 4, 4};
    seen.function = "AllGather";
    seen.has_ended = false;
    judge.add(3, seen);
  }
  CHECK(!judge.hang(602));
  const auto found = judge.hang(603);
  REQUIRE(found);
  CHECK(found->ranks == std::vector<int64_t>{2});
  CHECK_THAT(found->evidence, ContainsSubstring("rank 2 did not enter the last collective"));
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
