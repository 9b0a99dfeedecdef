#include "nccl-tests/data.h"

#include <algorithm>
#include <vector>

#include "tests/unit/catch.h"

using namespace slipway::bandwidth;
using Block = std::vector<std::byte>;

namespace {

Block filled(size_t bytes, uint64_t seed, int rank) {
  Block block(bytes);
  fill(block, seed, rank);
  return block;
}

}  // namespace

TEST_CASE("data: filled data is right for its seed and rank only") {
  const Block block = filled(4096, 7, 3);
  CHECK(count_mismatches(block, 8, 7, 3) == 0);
  CHECK(count_mismatches(block, 8, 7, 4) == 512);
  CHECK(count_mismatches(block, 8, 8, 3) == 512);
}

TEST_CASE("data: neighboring seeds and ranks do not share a stream") {
  // (seed 1, rank 0) against (seed 0, rank 1): a sum of both would make them equal.
  CHECK(count_mismatches(filled(4096, 1, 0), 8, 0, 1) == 512);
}

TEST_CASE("data: a poisoned block is wrong in every element of every size") {
  Block block(4096);
  poison(block, 7, 3);
  for (const int64_t element_bytes : {1, 2, 4, 8}) {
    CHECK(count_mismatches(block, element_bytes, 7, 3) == 4096 / element_bytes);
  }
}

TEST_CASE("data: one changed bit is one wrong element, wherever it is") {
  for (const int64_t element_bytes : {1, 2, 4, 8}) {
    for (const size_t at : {size_t{0}, size_t{13}, size_t{4095}}) {
      Block block = filled(4096, 7, 3);
      block[at] ^= std::byte{1};
      CHECK(count_mismatches(block, element_bytes, 7, 3) == 1);
    }
  }
}

TEST_CASE("data: two changed elements of one word are two") {
  Block block = filled(16, 7, 3);
  block[8] ^= std::byte{1};
  block[15] ^= std::byte{1};
  CHECK(count_mismatches(block, 4, 7, 3) == 2);
  CHECK(count_mismatches(block, 8, 7, 3) == 1);
}

TEST_CASE("data: data moved by one element is wrong almost everywhere") {
  Block block = filled(4096, 7, 3);
  std::rotate(block.begin(), block.begin() + 4, block.end());
  CHECK(count_mismatches(block, 4, 7, 3) == 1024);
}

TEST_CASE("data: an empty block is right") {
  CHECK(count_mismatches({}, 4, 7, 3) == 0);
}
