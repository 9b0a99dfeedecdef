#include "nccl-tests/heartbeat.h"
#include "tests/unit/catch.h"

using namespace slipway::bandwidth;

namespace {

// Four ranks on two nodes that have just sent a heartbeat, at second 100.
std::vector<RankStatus> four(const std::string& phase) {
  std::vector<RankStatus> statuses;
  for (int rank = 0; rank < 4; ++rank) {
    statuses.push_back(
        {.host = rank < 2 ? "a" : "b", .phase = phase, .operations = 7, .moved = 90, .heard = 99});
  }
  return statuses;
}

}  // namespace

TEST_CASE(
    "liveness: while all ranks send heartbeats, the run continues, however long a phase takes") {
  CHECK(end_reason(four("x"), 100, 0, 20).empty());
  CHECK(end_reason(four("x"), 100, 11, 20).empty());
}

TEST_CASE("liveness: at the time limit, ranks and hosts are named with their last phase") {
  std::vector<RankStatus> statuses = four("all_gather of 1024 bytes");
  statuses[1].operations = 6;
  statuses[2].phase = "allocating memory";
  statuses[2].moved = 40;
  statuses[3].heard = 92;
  CHECK(end_reason(statuses, 100, 5, 20) ==
        "nothing has moved for 10 s\n"
        "  rank 1 on a: all_gather of 1024 bytes, operation 6, since 10 s\n"
        "  rank 0 on a: all_gather of 1024 bytes, operation 7, since 10 s\n"
        "  rank 3 on b: all_gather of 1024 bytes, operation 7, silent, since 10 s\n"
        "  rank 2 on b: allocating memory, operation 7, since 60 s");
}

TEST_CASE("liveness: the rank that has gone is the cause, not those that failed after it") {
  std::vector<RankStatus> statuses = four("all_gather of 1024 bytes");
  statuses[1].failure = "another rank has gone";
  statuses[3].gone = true;
  CHECK(end_reason(statuses, 100, 0, 20) ==
        "rank 3 on b has gone; its last phase was: all_gather of 1024 bytes");
  statuses[3].gone = false;
  CHECK(end_reason(statuses, 100, 0, 20) == "rank 1 on a: another rank has gone");
}

TEST_CASE("liveness: a silent rank is named, unless it has left") {
  std::vector<RankStatus> statuses = four("x");
  statuses[2].heard = 70;
  CHECK_THAT(end_reason(statuses, 100, 0, 20),
             ContainsSubstring("rank 2 on b has been silent for 30 s; its last phase was: x"));
  statuses[2].left = true;
  CHECK(end_reason(statuses, 100, 0, 20).empty());
}
