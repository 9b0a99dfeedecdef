// Tests of steps that another number of ranks begins with: keepers are played by the test.
#include "launcher/checkpoint/board.h"

#include "tests/unit/checkpoint/board_job.h"

using namespace slipway;
using namespace slipway::checkpoint;

namespace {

const Texts six = {"n0", "n1", "n2", "n3", "n4", "n5"};

Job replicated_job(int64_t per_node = 1) {
  Job job(eight, 2, per_node);
  job.is_replicated = true;
  return job;
}

}  // namespace

TEST_CASE("board: if all ranks wrote the same, fewer ranks begin with it, and then more") {
  const int64_t per_node = GENERATE(1, 4);
  Job job = replicated_job(per_node);
  job.write_all(20);
  CHECK(job.board.step_for_any_world() == 20);
  job.lose("n6");
  job.lose("n7");
  job.begin(six);
  CHECK(job.board.is_ready());
  CHECK(job.board.restored_text() == "each rank has step 20 from memory");
  job.write_all(40);
  CHECK(job.board.complete_step() == 40);
  job.open("n6");
  job.open("n9");
  Texts grown = six;
  grown.emplace_back("n6");
  grown.emplace_back("n9");
  job.begin(grown);
  CHECK(job.board.is_ready());
  CHECK(job.board.restored_step() == 40);
  for (const std::string& node : grown)
    for (int64_t local = 0; local < per_node; ++local) {
      const auto place = std::ranges::find(grown, node) - grown.begin();
      CHECK(job.there[node].contains({40, place * per_node + local}));
    }
  job.write_all(60);
  CHECK(job.board.complete_step() == 60);
  for (const std::string& node : grown)
    CHECK(job.there[node].size() == 3 * static_cast<size_t>(per_node));
}

TEST_CASE("board: a step that differs between ranks fits no other number of ranks") {
  Job job(eight);
  job.write_all(20);
  CHECK_FALSE(job.board.step_for_any_world());
  job.begin(six);
  CHECK(job.board.restored_step() == -1);
  CHECK(job.board.restored_text() ==
        "no step is left in memory (6 ranks instead of 8): the program loads its checkpoint from "
        "disk");
}

TEST_CASE("board: a step fits any number of ranks only when all ranks have written it") {
  Job job = replicated_job();
  job.write_all(20);
  for (int64_t rank = 0; rank < 7; ++rank) job.write(rank, 40);
  CHECK(job.board.step_for_any_world() == 20);
  job.write(7, 40);
  CHECK(job.board.step_for_any_world() == 40);
}

TEST_CASE("board: if all ranks wrote the same, the last node that has it is enough") {
  Job job = replicated_job();
  for (const char* spare : {"s0", "s1", "s2", "s3", "s4", "s5", "s6"}) job.open(spare);
  job.write_all(20);
  for (size_t i = 1; i < eight.size(); ++i) job.lose(eight[i]);
  job.begin({"n0", "s0", "s1", "s2", "s3", "s4", "s5", "s6"});
  CHECK(job.board.is_ready());
  CHECK(job.board.restored_step() == 20);
}

TEST_CASE("board: a step on disk that is the same for all ranks fits another number of them") {
  Job job(Board(2, {"/steps", 1, "7"}), {"n0"});
  job.is_replicated = true;
  job.disk[20] = Texts(6, digest_for(0, 20));
  job.open("n1");
  job.begin({"n0", "n1"});
  CHECK(job.board.restored_step() == 20);
  CHECK(job.board.restored_text() == "each rank has step 20 from /steps, written by job 6");
}
