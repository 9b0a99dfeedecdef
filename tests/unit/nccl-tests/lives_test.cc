#include "nccl-tests/heartbeat.h"
#include "tests/unit/catch.h"

using namespace slipway::bandwidth;

namespace {

// Four ranks on two nodes that were heard of now, at second 100.
std::vector<Life> four(const std::string& phase) {
  std::vector<Life> lives;
  for (int rank = 0; rank < 4; ++rank) {
    lives.push_back(
        {.host = rank < 2 ? "a" : "b", .phase = phase, .operations = 7, .moved = 90, .heard = 99});
  }
  return lives;
}

}  // namespace

TEST_CASE("lives: while all are heard of, the run goes on, however long a phase takes") {
  CHECK(why_over(four("x"), 100, 0, 20).empty());
  CHECK(why_over(four("x"), 100, 11, 20).empty());
}

TEST_CASE("lives: at the time limit, ranks and hosts are named with what they last did") {
  std::vector<Life> lives = four("all_gather of 1024 bytes");
  lives[1].operations = 6;
  lives[2].phase = "allocating memory";
  lives[2].moved = 40;
  lives[3].heard = 92;
  CHECK(why_over(lives, 100, 5, 20) ==
        "nothing has moved for 10 s\n"
        "  rank 1 on a: all_gather of 1024 bytes, operation 6, since 10 s\n"
        "  rank 0 on a: all_gather of 1024 bytes, operation 7, since 10 s\n"
        "  rank 3 on b: all_gather of 1024 bytes, operation 7, silent, since 10 s\n"
        "  rank 2 on b: allocating memory, operation 7, since 60 s");
}

TEST_CASE("lives: who has gone is the cause, and those that failed have missed it") {
  std::vector<Life> lives = four("all_gather of 1024 bytes");
  lives[1].failure = "another rank has gone";
  lives[3].gone = true;
  CHECK(why_over(lives, 100, 0, 20) ==
        "rank 3 on b has gone; its last phase was: all_gather of 1024 bytes");
  lives[3].gone = false;
  CHECK(why_over(lives, 100, 0, 20) == "rank 1 on a: another rank has gone");
}

TEST_CASE("lives: a rank that is silent is named, unless it has left") {
  std::vector<Life> lives = four("x");
  lives[2].heard = 70;
  CHECK_THAT(why_over(lives, 100, 0, 20),
             ContainsSubstring("rank 2 on b has been silent for 30 s; its last phase was: x"));
  lives[2].left = true;
  CHECK(why_over(lives, 100, 0, 20).empty());
}
