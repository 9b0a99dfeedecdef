#include "nccl-tests/measure.h"

#include "tests/unit/catch.h"
#include "tests/unit/nccl-tests/fake_world.h"

using namespace slipway::bandwidth;

namespace {

constexpr Datatype float_type{"float", 4};
constexpr int64_t size_bytes = 4096;  // on 4 ranks: blocks of 1024 bytes, 256 floats

Row measure_in(FakeWorld::Settings settings, Repetitions repetitions = {.iterations = 10},
               int64_t buffer_bytes = size_bytes) {
  FakeWorld world(std::move(settings));
  const std::vector<Row> rows = world.run([&](Backend& backend) {
    const Buffers buffers(buffer_bytes / backend.size(), buffer_bytes);
    return measure(backend, all_gather(), float_type, size_bytes, buffers, repetitions);
  });
  for (const Row& row : rows) {  // every rank knows the same
    CHECK(row.out_of_place.wrong == rows[0].out_of_place.wrong);
    CHECK(row.in_place.time.mean_us == rows[0].in_place.time.mean_us);
  }
  return rows[0];
}

}  // namespace

TEST_CASE("measure: bandwidths follow from the mean time of the ranks") {
  const Row row = measure_in({.seconds_per_operation = 1e-6, .slower_by_rank = 1});
  for (const Placement& placement : {row.out_of_place, row.in_place}) {
    CHECK(placement.time.mean_us == Approx(2.5));  // 1, 2, 3 and 4 µs
    CHECK(placement.time.min_us == Approx(1));
    CHECK(placement.time.max_us == Approx(4));
    CHECK(placement.algbw_gb_per_s == Approx(4096 / 2.5e-6 / 1e9));
    CHECK(placement.busbw_gb_per_s == Approx(4096 / 2.5e-6 / 1e9 * 3 / 4));
  }
}

TEST_CASE("measure: right data has no wrong element") {
  const Row row = measure_in({});
  CHECK(row.out_of_place.wrong == 0);
  CHECK(row.in_place.wrong == 0);
  CHECK(row.out_of_place.wrong_runs == 0);
}

TEST_CASE("measure: right data in every part of buffers with room for several runs") {
  const Row row = measure_in({}, {.iterations = 10, .check_iterations = 7}, 3 * size_bytes);
  CHECK(row.out_of_place.wrong == 0);
  CHECK(row.in_place.wrong == 0);
}

TEST_CASE("measure: data that is not checked has no count") {
  const Row row = measure_in({}, {.iterations = 1, .check_iterations = 0});
  CHECK(!row.out_of_place.wrong.has_value());
  CHECK(!row.in_place.wrong.has_value());
}

TEST_CASE("measure: one bit changed on its way to one rank is one wrong element") {
  const Row row = measure_in({.harm = [](int rank, std::byte* receive, size_t block_bytes) {
    if (rank == 2) receive[3 * block_bytes + 5] ^= std::byte{0x10};
  }});
  CHECK(row.out_of_place.wrong == 1);
  CHECK(row.in_place.wrong == 1);
  CHECK(row.out_of_place.wrong_runs == 1);
}

TEST_CASE("measure: every checked run counts") {
  const Row row = measure_in({.harm =
                                  [](int rank, std::byte* receive, size_t) {
                                    if (rank == 2) receive[0] ^= std::byte{0x10};
                                  }},
                             {.iterations = 1, .check_iterations = 3});
  CHECK(row.out_of_place.wrong == 3);
  CHECK(row.out_of_place.wrong_runs == 3);
}

TEST_CASE("measure: two blocks that changed places are wrong as a whole, on every rank") {
  const Row row = measure_in({.harm = [](int, std::byte* receive, size_t block_bytes) {
    std::swap_ranges(receive, receive + block_bytes, receive + block_bytes);
  }});
  CHECK(row.out_of_place.wrong == 4 * 2 * 256);
  CHECK(row.in_place.wrong == 4 * 2 * 256);
  CHECK(row.out_of_place.wrong_runs == 4);
}

TEST_CASE("measure: a collective that does nothing leaves every element wrong but in-place's own") {
  // What nccl-tests' zeroed buffers would not show for data that happens to be zero.
  class Nothing final : public Collective {
   public:
    std::string_view name() const override { return "nothing"; }
    std::string_view reduction() const override { return "none"; }
    int root() const override { return -1; }
    Shape shape(int64_t bytes, int64_t element_bytes, int ranks) const override {
      return all_gather().shape(bytes, element_bytes, ranks);
    }
    double busbw_factor(int) const override { return 1; }
    void start(Backend&, const Shape&, const std::byte*, std::byte*) const override {}
    void prepare(const Shape& shape, uint64_t seed, int rank, int ranks, std::span<std::byte> send,
                 std::span<std::byte> receive) const override {
      all_gather().prepare(shape, seed, rank, ranks, send, receive);
    }
    int64_t count_wrong(const Shape& shape, uint64_t seed, int64_t element_bytes, int rank,
                        int ranks, std::span<const std::byte> receive) const override {
      return all_gather().count_wrong(shape, seed, element_bytes, rank, ranks, receive);
    }
  };
  FakeWorld world({});
  const Row row = world.run([&](Backend& backend) {
    const Buffers buffers(size_bytes / 4, size_bytes);
    return measure(backend, Nothing(), float_type, size_bytes, buffers, {.iterations = 1});
  })[0];
  CHECK(row.out_of_place.wrong == 4 * 4 * 256);
  CHECK(row.in_place.wrong == 4 * 3 * 256);
}

TEST_CASE("measure: the block of one rank that is not delivered is wrong on the others") {
  // The receiver's buffer keeps what it was poisoned with: undo the delivery of block 1.
  const Row row = measure_in({.harm = [](int rank, std::byte* receive, size_t block_bytes) {
    if (rank == 1) return;
    for (size_t i = 0; i < block_bytes; ++i) receive[block_bytes + i] = ~receive[block_bytes + i];
  }});
  CHECK(row.out_of_place.wrong == 3 * 256);
  CHECK(row.in_place.wrong == 3 * 256);
}

TEST_CASE("measure: a size of nothing takes its time and is right") {
  FakeWorld world({});
  const Row row = world.run([&](Backend& backend) {
    const Buffers buffers(0, 0);
    return measure(backend, all_gather(), float_type, 8, buffers, {.iterations = 1});
  })[0];
  CHECK(row.shape.size_bytes == 0);
  CHECK(row.out_of_place.wrong == 0);
  CHECK(row.out_of_place.busbw_gb_per_s == 0);
  CHECK(row.out_of_place.time.mean_us == Approx(1000));
}
