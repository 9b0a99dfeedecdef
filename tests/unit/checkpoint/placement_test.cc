// Tests of where copies of checkpoints go.
#include "launcher/checkpoint/placement.h"

#include "tests/unit/catch.h"

using slipway::checkpoint::shifts_of_copies;
using Blocks = std::vector<std::string>;
using Shifts = std::vector<size_t>;

TEST_CASE("placement: without a topology, copies are on the next nodes") {
  CHECK(shifts_of_copies(Blocks(8, ""), 2) == Shifts{1, 2});
}

TEST_CASE("placement: a node and its copies are in different blocks") {
  const Blocks blocks = {"a", "a", "a", "b", "b", "b", "c", "c", "c"};
  const Shifts shifts = shifts_of_copies(blocks, 2);
  REQUIRE(shifts == Shifts{3, 6});
  for (size_t i = 0; i < blocks.size(); ++i) {
    CHECK(blocks[i] != blocks[(i + shifts[0]) % 9]);
    CHECK(blocks[i] != blocks[(i + shifts[1]) % 9]);
    CHECK(blocks[(i + shifts[0]) % 9] != blocks[(i + shifts[1]) % 9]);
  }
}

TEST_CASE("placement: with blocks of different sizes, as few pairs as possible share one") {
  // Whatever the shift, four of six nodes in one block meet each other at least twice.
  const Blocks blocks = {"a", "a", "a", "a", "b", "b"};
  const size_t shift = shifts_of_copies(blocks, 1).at(0);
  size_t shared = 0;
  for (size_t i = 0; i < blocks.size(); ++i) shared += blocks[i] == blocks[(i + shift) % 6];
  CHECK(shared == 2);
}

TEST_CASE("placement: there are fewer copies than wanted if there are too few nodes") {
  CHECK(shifts_of_copies({"a", "b"}, 2) == Shifts{1});
  CHECK(shifts_of_copies({"a"}, 2).empty());
  CHECK(shifts_of_copies({}, 2).empty());
}
