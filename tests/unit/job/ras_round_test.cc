// Tests of the question to NCCL's RAS through agents.
#include "launcher/job/ras_round.h"

#include "tests/unit/catch.h"

using namespace slipway::job;

namespace {

using Nodes = std::vector<std::string>;

}  // namespace

TEST_CASE("ras round: asks two nodes, which are not suspects if there are others") {
  RasRound round;
  CHECK(round.begin(1, {"a", "b", "c", "d"}, {"d"}) == Nodes{"a", "c"});
  CHECK(round.begin(1, {"a", "b"}, {"a"}) == Nodes{"b"});
  CHECK(round.begin(1, {"a", "b"}, {"a", "b"}) == Nodes{"a", "b"});
}

TEST_CASE("ras round: is over when all have answered, and repeats nothing") {
  RasRound round;
  round.begin(2, {"a", "b", "c"}, {});
  round.hear("a", {2, true, {"rank 1 of 2 is missing", "rank 2 is \x1b[31mdead"}});
  round.hear("a", {2, true, {"again"}});
  round.hear("b", {2, true, {"nobody asked"}});
  round.hear("c", {1, true, {"of the last attempt"}});
  CHECK(!round.is_over());
  round.hear("c", {2, true, {"rank 1 of 2 is missing"}});
  CHECK(round.is_over());
  CHECK(round.words({}) == "NCCL's RAS: rank 1 of 2 is missing, rank 2 is [31mdead");
}

TEST_CASE("ras round: tells an answer without findings from none") {
  RasRound round;
  round.begin(1, {"a", "b"}, {});
  round.hear("a", {1, false, {}});
  round.hear("b", {1, false, {}});
  CHECK(round.is_over());
  CHECK(round.words({}).empty());
  round.begin(1, {"a"}, {});
  round.hear("a", {1, true, {}});
  CHECK(round.words({}) == "NCCL's RAS: no rank differs from the others");
}

TEST_CASE("ras round: an address is the node whose agent has it") {
  RasRound round;
  round.begin(1, {"a"}, {});
  round.hear("a", {1,
                   true,
                   {"rank 1 of 2 does not answer (process 7 on 192.0.2.2)",
                    "process 8 on 192.0.2.3 is dead", "process 9 on 192.0.2.22 is dead",
                    "another user (uid 7) listens on 127.0.0.1:28028 on a"}});
  CHECK(round.words({{"192.0.2.2", "n2"}, {"192.0.2.3", "n3"}, {"127.0.0.1:28028", "x"}}) ==
        "NCCL's RAS: rank 1 of 2 does not answer (process 7 on n2), process 8 on n3 is dead, "
        "process 9 on 192.0.2.22 is dead, another user (uid 7) listens on 127.0.0.1:28028 on a");
}
