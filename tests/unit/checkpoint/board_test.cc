// Tests of the launcher's view of steps in memory: keepers are played by the test.
#include "launcher/checkpoint/board.h"

#include "tests/unit/checkpoint/board_job.h"

using namespace slipway;
using namespace slipway::checkpoint;

TEST_CASE("board: a step counts when all ranks have it everywhere") {
  Job job({"n0", "n1", "n2", "n3"}, 2, 2);
  CHECK(job.board.restored_text().empty());
  for (int64_t rank = 0; rank < 7; ++rank) job.write(rank, 20);
  CHECK(!job.board.complete_step());
  CHECK(job.copies_made == 0);
  job.write(7, 20);
  CHECK(job.board.complete_step() == 20);
  CHECK(job.copies_made == 16);
  for (const std::string& node : job.nodes) CHECK(job.there[node].size() == 6);
  CHECK(job.said == Texts{"step 20 is the first in memory: each rank's on 3 nodes"});
}

TEST_CASE("board: older steps go when a newer one counts") {
  Job job({"n0", "n1", "n2"});
  job.write_all(20);
  job.write_all(40);
  CHECK(job.board.complete_step() == 40);
  for (const std::string& node : job.nodes)
    for (const auto& [step, rank] : job.there[node]) CHECK(step == 40);
  for (const std::string& node : job.nodes) CHECK(job.programs_see[node] == 40);
  job.write(0, 60);
  CHECK(job.programs_see["n1"] == 40);
  CHECK(job.there["n0"].contains({40, 0}));  // until 60 counts
  CHECK(job.board.complete_step() == 40);
}

TEST_CASE("board: after the loss of any two nodes, all ranks resume at the newest step") {
  for (size_t one = 0; one < 8; ++one) {
    for (size_t other = one + 1; other < 8; ++other) {
      Job job(eight);
      job.open("s0");
      job.open("s1");
      job.write_all(20);
      job.write_all(40);
      job.write(3, 60);  // too late for the others
      job.lose(eight[one]);
      job.lose(eight[other]);
      job.copies_made = 0;
      Texts next = eight;
      next[one] = "s0";
      next[other] = "s1";
      job.begin(next);
      CHECK(job.board.is_ready());
      CHECK(job.board.restored_step() == 40);
      CHECK(job.board.restored_text() == "each rank has step 40 from memory");
      CHECK(job.board.complete_step() == 40);
      // The two ranks, and the copies that went with the nodes.
      CHECK(job.copies_made == 6);
      for (const std::string& node : next) CHECK(job.there[node].size() == 3);
      job.write_all(60);
      CHECK(job.board.complete_step() == 60);
    }
  }
}

TEST_CASE("board: when all nodes with a rank's step are gone, it says so") {
  Job job(eight);
  for (const char* spare : {"s0", "s1", "s2"}) job.open(spare);
  job.write_all(20);
  for (const char* node : {"n1", "n2", "n3"}) job.lose(node);
  job.begin({"n0", "s0", "s1", "s2", "n4", "n5", "n6", "n7"});
  CHECK(job.board.is_ready());
  CHECK(job.board.restored_step() == -1);
  CHECK(job.board.restored_text() ==
        "no step is left in memory (all nodes that had step 20 of rank 1 are gone): the program "
        "loads its checkpoint from disk");
  for (const std::string& node : job.nodes) CHECK(job.there[node].empty());
  job.write_all(20);
  CHECK(job.board.complete_step() == 20);
}

TEST_CASE("board: a step that all ranks wrote serves even before it has copies") {
  Job job({"n0", "n1", "n2"});
  job.write_all(20);
  job.cannot_copy = {"n0", "n1", "n2"};
  job.write_all(40);
  CHECK(job.board.complete_step() == 20);
  // It was given up for lack of copies, so 20 is what there is.
  job.begin(job.nodes);
  CHECK(job.board.restored_step() == 20);
  REQUIRE(job.said.size() == 2);
  CHECK(job.said[1] == "step 40 is not kept in other nodes' memory: rank 0 on n1: no route");
}

TEST_CASE("board: with another number of ranks, steps of the old ones do not fit") {
  Job job({"n0", "n1", "n2", "n3"});
  job.write_all(20);
  job.lose("n3");
  job.begin({"n0", "n1", "n2"});
  CHECK(job.board.restored_step() == -1);
  CHECK(job.board.restored_text() ==
        "no step is left in memory (3 ranks instead of 4): the program loads its checkpoint from "
        "disk");
}

TEST_CASE("board: without a complete step, the program starts from disk") {
  Job job({"n0", "n1"}, 1);
  job.write(0, 20);
  job.begin(job.nodes);
  CHECK(job.board.restored_text() ==
        "no step is left in memory (no step was complete yet): the program loads its checkpoint "
        "from disk");
}

TEST_CASE("board: what belongs to an earlier attempt is ignored") {
  Job job({"n0", "n1"}, 1);
  job.begin(job.nodes);
  for (const int64_t rank : {0, 1})
    job.board.heard(job.nodes[static_cast<size_t>(rank)],
                    Kept{1, rank, 20, 10, digest_for(rank, 20)});
  job.settle();
  CHECK(!job.board.complete_step());
  CHECK(job.copies_made == 0);
}

TEST_CASE("board: a copy with another digest is ignored") {
  Job job({"n0", "n1"}, 1);
  job.cannot_copy = {"n1"};
  job.write(0, 20);
  job.board.heard("n1", Kept{1, 0, 20, 10, digest_for(5, 5)});
  job.board.heard("n1", Kept{1, 1, 20, 10, digest_for(1, 20)});
  job.settle();
  CHECK(!job.board.complete_step());
}

TEST_CASE("board: a node that cannot hold steps turns the feature off, and nothing waits for it") {
  Job job({"n0", "n1", "n2"});
  job.write_all(20);
  job.board.heard("n1", Off{"the memory is full"});
  job.settle();
  CHECK(job.board.is_off());
  CHECK(job.said.back() == "fast checkpoints are off: n1: the memory is full");
  for (const std::string& node : job.nodes) CHECK(job.there[node].empty());
  job.write_all(40);
  CHECK(!job.board.complete_step());
  job.begin(job.nodes);
  CHECK(job.board.is_ready());
  CHECK(job.board.restored_text() ==
        "fast checkpoints are off: the program loads its checkpoint from disk");
}

TEST_CASE("board: a step that a node cannot get back is given up by all") {
  Job job({"n0", "n1", "n2"});
  job.open("s0");
  job.write_all(20);
  job.lose("n0");
  // The board does not know yet that these keepers have lost everything.
  job.there["n1"].clear();
  job.there["n2"].clear();
  job.begin({"s0", "n1", "n2"});
  CHECK(job.board.is_ready());
  CHECK(job.board.restored_step() == -1);
  CHECK(job.board.restored_text().starts_with(
      "no step is left in memory (step 20 could not be restored on "));
}

TEST_CASE("board: while one step is copied, those between it and the newest are skipped") {
  Board board(1);
  const Texts nodes = {"n0", "n1"};
  for (const std::string& node : nodes) board.heard(node, Open{4000, 1000, ""});
  board.begin(1, {nodes, 1});
  for (const std::string& node : nodes) board.heard(node, Restored{1, -1, ""});
  board.orders();
  const auto all_write = [&](int64_t step) {
    board.heard("n0", Kept{1, 0, step, 10, digest_for(0, step)});
    board.heard("n1", Kept{1, 1, step, 10, digest_for(1, step)});
  };
  const auto steps_copied = [&] {
    std::set<int64_t> steps;
    for (const Order& each : board.orders())
      if (const auto* copy = std::get_if<Copy>(&each.message)) steps.insert(copy->step);
    return steps;
  };
  for (const int64_t step : {1, 2, 3, 4}) all_write(step);
  CHECK(steps_copied() == std::set<int64_t>{1});
  board.heard("n1", Kept{1, 0, 1, 10, digest_for(0, 1)});
  board.heard("n0", Kept{1, 1, 1, 10, digest_for(1, 1)});
  CHECK(board.complete_step() == 1);
  CHECK(steps_copied() == std::set<int64_t>{4});
}

TEST_CASE("board: with too few nodes for all copies, it says so once") {
  Job job({"n0", "n1"}, 2);
  CHECK(job.said == Texts{"1 copy of checkpoints instead of 2: the program runs on 2 nodes"});
  job.write_all(20);
  CHECK(job.board.complete_step() == 20);
}

TEST_CASE("board: a rank that does not exist is an error") {
  Job job({"n0", "n1"}, 1);
  CHECK_THROWS(job.board.heard("n0", Kept{1, 2, 20, 10, digest_for(2, 20)}));
}

TEST_CASE("board: 2,048 nodes with eight ranks each") {
  Texts nodes;
  for (int i = 0; i < 2048; ++i) nodes.push_back("n" + std::to_string(i));
  Job job(nodes, 2, 8);
  job.write_all(20);
  CHECK(job.board.complete_step() == 20);
  CHECK(job.copies_made == size_t{2048} * 8 * 2);
}
