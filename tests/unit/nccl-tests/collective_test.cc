#include "nccl-tests/collective.h"
#include "nccl-tests/datatype.h"
#include "tests/unit/catch.h"
#include "tests/unit/nccl-tests/sample.h"

using namespace slipway::bandwidth;

TEST_CASE("all_gather: count is per rank, size is over all ranks") {
  const Shape shape = all_gather.shape(1024, 4, 4);
  CHECK(shape.count == 64);
  CHECK(shape.size_bytes == 1024);
  CHECK(shape.send_bytes == 256);
  CHECK(shape.receive_bytes == 1024);
  CHECK(shape.in_place_send_offset == 256);
  CHECK(shape.in_place_receive_offset == 0);
}

TEST_CASE("all_gather: a rank's block is rounded down to 16 bytes, whatever the datatype") {
  for (const Datatype& type : all_datatypes()) {
    const Shape shape = all_gather.shape(1000, type.bytes, 3);
    CHECK(shape.send_bytes == 320);  // 1000 / 3 = 333
    CHECK(shape.count == 320 / type.bytes);
    CHECK(shape.size_bytes == 960);
  }
}

TEST_CASE("all_gather: a size below 16 bytes a rank is printed as 0") {
  CHECK(all_gather.shape(63, 4, 4).size_bytes == 0);
  CHECK(all_gather.shape(64, 4, 4).size_bytes == 64);
}

TEST_CASE("all_gather: nccl-tests' own row of 8 GiB on 16 ranks") {
  const Shape shape = all_gather.shape(int64_t{8} << 30, 4, 16);
  CHECK(shape.size_bytes == 8589934592);
  CHECK(shape.count == 134217728);
  CHECK(355.98 * all_gather.busbw_factor(16) == Approx(333.73).epsilon(0.0001));
}

TEST_CASE("all_gather: a single rank has a busbw of 0") {
  CHECK(all_gather.busbw_factor(1) == 0);
}

TEST_CASE("collectives: sizes and counts are nccl-tests'") {
  struct Want {
    Kind kind;
    int64_t size, count, send, receive, send_offset, receive_offset;
    double factor;
  };
  // 1000 bytes of float on 4 ranks: 250 elements; or 62 a rank, rounded to 60.
  for (const Want& want : {Want{Kind::all_gather, 960, 60, 240, 960, 240, 0, 0.75},
                           Want{Kind::all_reduce, 1000, 250, 1000, 1000, 0, 0, 1.5},
                           Want{Kind::alltoall, 960, 60, 960, 960, 0, 0, 0.75},
                           Want{Kind::broadcast, 1000, 250, 1000, 1000, 0, 0, 1},
                           Want{Kind::gather, 960, 60, 240, 960, 240, 0, 0.75},
                           Want{Kind::reduce, 1000, 250, 1000, 1000, 0, 0, 1},
                           Want{Kind::reduce_scatter, 960, 60, 960, 240, 0, 240, 0.75},
                           Want{Kind::scatter, 960, 60, 960, 240, 0, 240, 0.75},
                           Want{Kind::sendrecv, 1000, 250, 1000, 1000, 0, 0, 1},
                           // 960 bytes at distances of 0 to 3 of 6: 0, 160, 320 and 480.
                           Want{Kind::alltoallv, 960, 60, 960, 960, 0, 0, 0.75},
                           Want{Kind::hypercube, 960, 60, 240, 960, 240, 0, 1}}) {
    const Collective& collective = collective_of(want.kind);
    INFO(collective.name);
    const Shape shape = collective.shape(1000, 4, 4);
    CHECK(shape.size_bytes == want.size);
    CHECK(shape.count == want.count);
    CHECK(shape.send_bytes == want.send);
    CHECK(shape.receive_bytes == want.receive);
    CHECK(shape.in_place_send_offset == want.send_offset);
    CHECK(shape.in_place_receive_offset == want.receive_offset);
    CHECK(collective.busbw_factor(4) == Approx(want.factor));
  }
}

TEST_CASE("collectives: are also found by the name of a program") {
  CHECK(find_collective("reduce_scatter_perf") == &collective_of(Kind::reduce_scatter));
  CHECK(find_collective("alltoall") == &collective_of(Kind::alltoall));
  CHECK(find_collective("all_reduce_perf_mpi") == &collective_of(Kind::all_reduce));
  CHECK(find_collective("bisection_perf") == nullptr);
  CHECK(find_collective("all_reduce_mpi") == nullptr);
}

TEST_CASE("hypercube: algbw counts what a rank receives, and ranks are a power of 2") {
  const Collective& hypercube = collective_of(Kind::hypercube);
  CHECK(hypercube.algbw_factor(8) == Approx(7.0 / 8));
  CHECK(hypercube.works_on(1));
  CHECK(hypercube.works_on(64));
  CHECK_FALSE(hypercube.works_on(12));
  CHECK(collective_of(Kind::alltoallv).works_on(12));
  CHECK(collective_of(Kind::alltoallv).algbw_factor(12) == 1);
}
