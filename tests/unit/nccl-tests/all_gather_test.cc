#include "nccl-tests/collective.h"
#include "nccl-tests/datatype.h"
#include "tests/unit/catch.h"

using namespace slipway::bandwidth;

TEST_CASE("all_gather: count is of one rank, size of all") {
  const Shape shape = all_gather().shape(1024, 4, 4);
  CHECK(shape.count == 64);
  CHECK(shape.size_bytes == 1024);
  CHECK(shape.send_bytes == 256);
  CHECK(shape.receive_bytes == 1024);
  CHECK(shape.in_place_send_offset == 256);
  CHECK(shape.in_place_receive_offset == 0);
}

TEST_CASE("all_gather: a rank's block is rounded down to 16 bytes, whatever the datatype") {
  for (const Datatype& type : all_datatypes()) {
    const Shape shape = all_gather().shape(1000, type.bytes, 3);
    CHECK(shape.send_bytes == 320);  // 1000 / 3 = 333
    CHECK(shape.count == 320 / type.bytes);
    CHECK(shape.size_bytes == 960);
  }
}

TEST_CASE("all_gather: a size below 16 bytes a rank is printed as 0") {
  CHECK(all_gather().shape(63, 4, 4).size_bytes == 0);
  CHECK(all_gather().shape(64, 4, 4).size_bytes == 64);
}

TEST_CASE("all_gather: nccl-tests' own row of 8 GiB on 16 ranks") {
  const Shape shape = all_gather().shape(int64_t{8} << 30, 4, 16);
  CHECK(shape.size_bytes == 8589934592);
  CHECK(shape.count == 134217728);
  CHECK(355.98 * all_gather().busbw_factor(16) == Approx(333.73).epsilon(0.0001));
}

TEST_CASE("all_gather: one rank has no bus") {
  CHECK(all_gather().busbw_factor(1) == 0);
}
