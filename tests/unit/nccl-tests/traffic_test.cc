#include "nccl-tests/traffic.h"

#include "common/error.h"
#include "nccl-tests/rounds.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::bandwidth;

TEST_CASE("traffic: a spread of 1 is in proportion to the distance, of 0 the same to all") {
  const Traffic far{.spread = 1}, even{.spread = 0};
  // 960 bytes on 4 ranks: distances 0 to 3, whose sum is 6.
  for (int to = 0; to < 4; ++to) {
    CHECK(far.bytes(1, (1 + to) % 4, 4, 960) == 160 * to);
    CHECK(even.bytes(1, to, 4, 960) == 240);
  }
  CHECK(far.bytes(0, 0, 1, 960) == 960);
  CHECK(Traffic{.spread = 0.5}.bytes(0, 1, 4, 960) == 192);  // (240 + 160) / 2, rounded to 16
  CHECK(far.total_of(2, 4, 960).sent_bytes == 960);
  CHECK(far.total_of(2, 4, 960).received_bytes == 960);
}

TEST_CASE("traffic: a matrix is read, scaled and rounded to 16 bytes") {
  const Traffic matrix = parse_traffic("10 20\n\n 30\t40.5 \n", 10, "t");
  CHECK(matrix.matrix_ranks == 2);
  CHECK(matrix.matrix_bytes == std::vector<int64_t>{96, 192, 288, 400});
  CHECK(matrix.bytes(1, 0, 2, 12345) == 288);
  CHECK(matrix.largest(2, 0).sent_bytes == 688);
  CHECK(matrix.largest(2, 0).received_bytes == 592);
  CHECK(parse_traffic("16 16 16\n16 16 16\n16 16 16", 1, "t").largest(2, 0).sent_bytes == 32);
}

TEST_CASE("traffic: what is not a matrix is refused with its line") {
  CHECK_THROWS_WITH(parse_traffic("1 2\n3\n", 1, "t"),
                    "t:2: this row has 1 column, the first one 2");
  CHECK_THROWS_WITH(parse_traffic("1 2\n3 x\n", 1, "t"), "t:2: `x` is not a number of bytes");
  CHECK_THROWS_WITH(parse_traffic("1 -2\n3 4\n", 1, "t"), "t:1: `-2` is not a number of bytes");
  CHECK_THROWS_WITH(parse_traffic("1e300 2\n3 4\n", 1, "t"),
                    "t:1: `1e300` is not a number of bytes");
  CHECK_THROWS_AS(parse_traffic("", 1, "t"), Error);
  CHECK_THROWS_AS(parse_traffic("1 2\n", 1, "t"), Error);
}

TEST_CASE("traffic: a summary has a line for each rank") {
  CHECK(traffic_summary(Traffic{.spread = 0}, 2, 32000, 2) ==
        "# NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY: mode=generated nranks=2 total_bytes=32000 "
        "spread=0.000 time_usec=2.00\n"
        "#   rank=0 send_bytes=32000 recv_bytes=32000 alg_bw=16.00 bus_bw=8.00\n"
        "#   rank=1 send_bytes=32000 recv_bytes=32000 alg_bw=16.00 bus_bw=8.00\n");
}

TEST_CASE("rounds: hypercube doubles what a rank has in each round") {
  std::vector<std::byte> send(4), receive(32);
  const Operation op{.kind = Kind::hypercube,
                     .type = {"float", 4},
                     .count = 1,
                     .send = send.data(),
                     .receive = receive.data()};
  const std::vector<Exchanges> rounds = rounds_of(op, 5, 8);
  REQUIRE(rounds.size() == 4);
  CHECK(rounds[0].front().peer == 5);
  CHECK(rounds[0].front().to == receive.data() + 20);
  const int peers[] = {4, 7, 1}, from[] = {5, 4, 4}, to[] = {4, 6, 0}, blocks[] = {1, 2, 4};
  for (size_t i = 0; i < 3; ++i) {
    const Exchange& one = rounds[i + 1].front();
    CHECK(one.peer == peers[i]);
    CHECK(one.from == receive.data() + from[i] * 4);
    CHECK(one.to == receive.data() + to[i] * 4);
    CHECK(one.sent_bytes == blocks[i] * 4);
    CHECK(one.received_bytes == blocks[i] * 4);
  }
}
