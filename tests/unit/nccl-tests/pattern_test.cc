#include "nccl-tests/pattern.h"

#include <algorithm>
#include <vector>

#include "tests/unit/catch.h"
#include "tests/unit/nccl-tests/filled.h"

using namespace slipway::bandwidth;
using Buffer = std::vector<std::byte>;

namespace {

Pattern words(uint64_t seed, uint64_t stream, int64_t element_bytes = 8, int64_t block_bytes = 4096,
              uint64_t step = 1) {
  return {element_bytes, WordPattern{seed, stream, step, block_bytes}};
}

}  // namespace

TEST_CASE("pattern: filled data is right for its seed and stream only") {
  const Buffer buffer = filled(words(7, 3));
  CHECK(wrong(buffer, words(7, 3)) == 0);
  CHECK(wrong(buffer, words(7, 4)) == 512);
  CHECK(wrong(buffer, words(8, 3)) == 512);
}

TEST_CASE("pattern: neighboring seeds and streams do not share data") {
  // (seed 1, stream 0) against (seed 0, stream 1): a sum of both would make them equal.
  CHECK(wrong(filled(words(1, 0)), words(0, 1)) == 512);
}

TEST_CASE("pattern: inverted data is wrong in every element of every size") {
  for (const int64_t element_bytes : {1, 2, 4, 8}) {
    const Pattern pattern = words(7, 3, element_bytes);
    Buffer buffer(4096);
    HostPatterns().fill(buffer, Inverted{pattern});
    CHECK(wrong(buffer, pattern) == 4096 / element_bytes);
  }
}

TEST_CASE("pattern: one changed bit is one wrong element, wherever it is") {
  for (const int64_t element_bytes : {1, 2, 4, 8}) {
    for (const size_t at : {size_t{0}, size_t{13}, size_t{4095}}) {
      const Pattern pattern = words(7, 3, element_bytes);
      Buffer buffer = filled(pattern);
      buffer[at] ^= std::byte{1};
      CHECK(wrong(buffer, pattern) == 1);
    }
  }
}

TEST_CASE("pattern: two changed elements of one word are two") {
  Buffer buffer = filled(words(7, 3), 16);
  buffer[8] ^= std::byte{1};
  buffer[15] ^= std::byte{1};
  CHECK(wrong(buffer, words(7, 3, 4)) == 2);
  CHECK(wrong(buffer, words(7, 3, 8)) == 1);
}

TEST_CASE("pattern: data moved by one element is wrong almost everywhere") {
  Buffer buffer = filled(words(7, 3, 4));
  std::rotate(buffer.begin(), buffer.begin() + 4, buffer.end());
  CHECK(wrong(buffer, words(7, 3, 4)) == 1024);
}

TEST_CASE("pattern: each block has a stream of its own") {
  const Pattern blocks = words(7, 10, 8, 64, 5);
  Buffer buffer = filled(blocks, 256);
  const Buffer third = filled(words(7, 20, 8, 64), 64);
  CHECK(std::equal(third.begin(), third.end(), buffer.begin() + 128));
  std::swap_ranges(buffer.begin(), buffer.begin() + 64, buffer.begin() + 64);
  CHECK(wrong(buffer, blocks) == 16);
}

TEST_CASE("pattern: checks add up until the sum is taken") {
  HostPatterns patterns;
  const Buffer zeros(64);
  patterns.check(zeros, words(1, 0));
  patterns.check(zeros, words(1, 0));
  CHECK(patterns.take_wrong() == 16);
  CHECK(patterns.take_wrong() == 0);
  patterns.check(Buffer{}, words(1, 0));
  CHECK(patterns.take_wrong() == 0);
}
