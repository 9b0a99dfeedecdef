// Tests of the launcher's view of steps on disk.
#include "tests/unit/checkpoint/board_job.h"

using namespace slipway;
using namespace slipway::checkpoint;

namespace {

Board with_disk(int64_t every) {
  return Board(2, {"/disk", every, "7"});
}

}  // namespace

TEST_CASE("board: complete steps are written to disk, at least so many steps apart") {
  Job job(with_disk(40), eight);
  for (int64_t step = 10; step <= 100; step += 10) job.write_all(step);
  REQUIRE(job.disk.size() == 2);
  CHECK(job.disk.begin()->first == 40);
  CHECK(job.disk.rbegin()->first == 80);
  CHECK(job.said == Texts{"step 10 is the first in memory: each rank's on 3 nodes",
                          "step 40 is the first in /disk"});
}

TEST_CASE("board: few nodes write at a time, and newer steps count meanwhile") {
  Texts many;
  for (int i = 0; i < 20; ++i) many.push_back("n" + std::to_string(i));
  Job job(with_disk(10), many);
  job.disk_is_slow = true;
  job.write_all(10);
  CHECK(job.most_writers == 8);
  CHECK(job.board.is_writing_to_disk());
  job.write_all(20);
  job.write_all(30);
  CHECK(job.board.complete_step() == 30);
  CHECK(job.there["n0"].contains({10, 0}));  // as long as it is written
  CHECK(!job.there["n0"].contains({20, 0}));
  job.finish_writing();
  CHECK(job.disk.contains(10));
  CHECK(!job.board.is_writing_to_disk());
  job.write_all(40);
  CHECK(!job.there["n0"].contains({10, 0}));
  CHECK(job.disk.contains(40));
}

TEST_CASE("board: a full disk is reported once, and the job goes on") {
  Job job(with_disk(10), eight);
  job.disk_is_full = true;
  job.write_all(10);
  job.write_all(20);
  CHECK(job.disk.empty());
  CHECK(job.board.complete_step() == 20);
  CHECK(job.said == Texts{"step 10 is the first in memory: each rank's on 3 nodes",
                          "step 10 is not written to /disk: n0: /disk is full"});
  job.disk_is_full = false;
  job.write_all(30);
  CHECK(job.disk.contains(30));
}

TEST_CASE("board: a new job starts from the newest step on disk") {
  Job before(with_disk(10), eight);
  before.write_all(10);
  before.write_all(20);
  Job job(with_disk(10), {});
  job.disk = before.disk;
  for (const std::string& node : eight) job.open(node);
  job.begin(eight);
  CHECK(job.board.restored_text() == "each rank has step 20 from /disk, written by job 6");
  CHECK(job.board.restored_from_disk());
  CHECK(job.copies_made == 24);  // eight from disk, the others among nodes
  job.lose("n3");
  job.open("n8");
  job.begin({"n0", "n1", "n2", "n8", "n4", "n5", "n6", "n7"});
  CHECK(job.board.restored_text() == "each rank has step 20 from memory");
  CHECK(!job.board.restored_from_disk());
}

TEST_CASE("board: a step on disk that is damaged gives way to an older one") {
  Job job(with_disk(10), {});
  for (const int64_t step : {10, 20})
    for (int64_t rank = 0; rank < 8; ++rank) job.disk[step].push_back(digest_for(rank, step));
  job.damaged = {20};
  for (const std::string& node : eight) job.open(node);
  job.begin(eight);
  CHECK(job.board.restored_step() == 10);
  job.damaged = {10, 20};
  for (const std::string& node : eight) job.there[node].clear(), job.lose(node), job.open(node);
  job.begin(eight);
  CHECK(job.board.restored_step() == -1);
  CHECK(job.board.restored_text() ==
        "no step is left in memory (step 10 could not be restored on n0: it is damaged): the "
        "program loads its checkpoint from disk");
}

TEST_CASE("board: a step on disk of other ranks is left there") {
  Job job(with_disk(10), {});
  job.disk[20] = {digest_for(0, 20), digest_for(1, 20)};
  for (const std::string& node : eight) job.open(node);
  job.begin(eight);
  CHECK(job.board.restored_text() ==
        "no step is left in memory (step 20 in /disk is one of 2 ranks): the program loads its "
        "checkpoint from disk");
  CHECK(job.board.is_ready());
}

TEST_CASE("board: another node looks on disk if the first one is lost meanwhile") {
  Board board = with_disk(10);
  for (const std::string& node : eight) board.heard(node, Open{4000, 1000, ""});
  board.begin(1, {eight, 1});
  std::vector<Order> orders = board.orders();
  REQUIRE(orders.size() == 1);
  CHECK(orders[0].node == "n0");
  CHECK(!board.is_ready());
  board.gone("n0");
  orders = board.orders();
  REQUIRE(orders.size() == 1);
  CHECK(orders[0].node == "n1");
  board.heard("n0", Found{1, 20, {}, "", ""});  // late
  CHECK(!board.is_ready());
  board.heard("n1", Found{1, -1, {}, "", ""});
  CHECK(board.orders().size() == 7);
}
