#include "nccl-tests/measure.h"

#include "tests/unit/catch.h"
#include "tests/unit/nccl-tests/fake_world.h"
#include "tests/unit/nccl-tests/sample.h"

using namespace slipway::bandwidth;

namespace {

Case case_of(const Collective& collective) {
  return {&collective, {"float", 4}, std::nullopt, std::nullopt};
}

Timing iterations(int count, int checks = 1) {
  Timing timing;
  timing.iterations = count;
  timing.checks = checks;
  return timing;
}

constexpr int64_t size_bytes = 4096;  // on 4 ranks: blocks of 1024 bytes, 256 floats

Row measure_in(FakeWorld::Settings settings, Timing timing = iterations(10),
               int64_t buffer_bytes = size_bytes) {
  FakeWorld world(std::move(settings));
  const std::vector<Row> rows = world.run([&](Backend& backend) {
    const Buffers buffers(backend, buffer_bytes / backend.size(), buffer_bytes);
    return measure(backend, case_of(all_gather), size_bytes, buffers, timing);
  });
  for (const Row& row : rows) {  // every rank has the same result
    CHECK(row.out_of_place.wrong == rows[0].out_of_place.wrong);
    CHECK(row.in_place.time.us == rows[0].in_place.time.us);
  }
  return rows[0];
}

}  // namespace

TEST_CASE("measure: bandwidths follow from the mean time of the ranks") {
  const Row row = measure_in({.seconds_per_operation = 1e-6, .slower_by_rank = 1});
  for (const Placement& placement : {row.out_of_place, row.in_place}) {
    CHECK(placement.time.us == Approx(2.5));  // 1, 2, 3 and 4 µs
    CHECK(placement.time.min_us == Approx(1));
    CHECK(placement.time.max_us == Approx(4));
    CHECK(placement.algbw_gb_per_s == Approx(4096 / 2.5e-6 / 1e9));
    CHECK(placement.busbw_gb_per_s == Approx(4096 / 2.5e-6 / 1e9 * 3 / 4));
  }
}

TEST_CASE("measure: correct data has no wrong element") {
  const Row row = measure_in({});
  CHECK(row.out_of_place.wrong == 0);
  CHECK(row.in_place.wrong == 0);
  CHECK(row.out_of_place.wrong_runs == 0);
}

TEST_CASE("measure: data is correct in every part of buffers with room for several runs") {
  const Row row = measure_in({}, iterations(10, 7), 3 * size_bytes);
  CHECK(row.out_of_place.wrong == 0);
  CHECK(row.in_place.wrong == 0);
}

TEST_CASE("measure: data that is not checked has no count") {
  const Row row = measure_in({}, iterations(1, 0));
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

TEST_CASE("measure: every checked run is counted") {
  const Row row = measure_in({.harm =
                                  [](int rank, std::byte* receive, size_t) {
                                    if (rank == 2) receive[0] ^= std::byte{0x10};
                                  }},
                             iterations(1, 3));
  CHECK(row.out_of_place.wrong == 3);
  CHECK(row.out_of_place.wrong_runs == 3);
}

TEST_CASE("measure: two swapped blocks are wrong as a whole, on every rank") {
  const Row row = measure_in({.harm = [](int, std::byte* receive, size_t block_bytes) {
    std::swap_ranges(receive, receive + block_bytes, receive + block_bytes);
  }});
  CHECK(row.out_of_place.wrong == 4 * 2 * 256);
  CHECK(row.in_place.wrong == 4 * 2 * 256);
  CHECK(row.out_of_place.wrong_runs == 4);
}

TEST_CASE("measure: data that does not arrive is wrong in every element but in-place's own") {
  // nccl-tests' zeroed buffers would not show this for data that happens to be zero.
  const Row row = measure_in({.delivers = false});
  CHECK(row.out_of_place.wrong == 4 * 4 * 256);
  CHECK(row.in_place.wrong == 4 * 3 * 256);
}

TEST_CASE("measure: the block of one rank that is not delivered is wrong on the others") {
  // Undo the delivery of block 1: the receiver's buffer keeps its poison.
  const Row row = measure_in({.harm = [](int rank, std::byte* receive, size_t block_bytes) {
    if (rank == 1) return;
    for (size_t i = 0; i < block_bytes; ++i) receive[block_bytes + i] = ~receive[block_bytes + i];
  }});
  CHECK(row.out_of_place.wrong == 3 * 256);
  CHECK(row.in_place.wrong == 3 * 256);
}

TEST_CASE("measure: a size of 0 is timed and has no wrong element") {
  FakeWorld world({});
  const Row row = world.run([&](Backend& backend) {
    const Buffers buffers(backend, 0, 0);
    return measure(backend, case_of(all_gather), 8, buffers, iterations(1));
  })[0];
  CHECK(row.shape.size_bytes == 0);
  CHECK(row.out_of_place.wrong == 0);
  CHECK(row.out_of_place.busbw_gb_per_s == 0);
  CHECK(row.out_of_place.time.us == Approx(1000));
}

TEST_CASE("measure: isolated samples have one iteration each, and their median is reported") {
  Timing timing = iterations(1);
  timing.mode = Mode::isolated;
  timing.samples = 7;
  const Row row = measure_in({.seconds_per_operation = 1e-6}, timing);
  CHECK(row.out_of_place.samples_us.size() == 7);
  CHECK(row.out_of_place.time.us == Approx(1));
}

TEST_CASE("measure: sampling ends when the median is known well enough") {
  Timing timing = iterations(1);
  timing.precision = 0.01;
  const Row row = measure_in({.seconds_per_operation = 1e-6}, timing);
  CHECK(row.out_of_place.samples_us.size() == 6);  // the fewest that give an interval
  CHECK(!row.out_of_place.budget_spent);
}

TEST_CASE("measure: sampling ends when the budget is spent, and reports it") {
  Timing timing = iterations(1);
  timing.precision = 1e-9;
  timing.budget_seconds = 0.1;
  const Row row = measure_in({.seconds_per_operation = 1e-3, .trend = 0.01}, timing);
  CHECK(row.out_of_place.budget_spent);
  CHECK(row.out_of_place.samples_us.size() < 200);
  CHECK(describe(row.out_of_place.samples_us).drift);
}

TEST_CASE("measure: the reported time is the one that -a selects") {
  const std::pair<Average, double> wants[] = {
      {Average::first_rank, 1}, {Average::mean, 2.5}, {Average::least, 1}, {Average::most, 4}};
  for (const auto& [average, us] : wants) {
    Timing timing = iterations(1);
    timing.average = average;
    const Row row = measure_in({.seconds_per_operation = 1e-6, .slower_by_rank = 1}, timing);
    CHECK(row.out_of_place.time.us == Approx(us));
  }
}

TEST_CASE("measure: single iterations are those of each rank, and of the slowest") {
  Timing timing = iterations(5);
  timing.each_iteration = true;
  const Row row = measure_in({.seconds_per_operation = 1e-6, .slower_by_rank = 1}, timing);
  CHECK(row.out_of_place.iterations_us.size() == 5);
  CHECK(row.out_of_place.iterations_us[0] == Approx(4));
  REQUIRE(row.out_of_place.ranks_iterations_us.size() == 4);
  CHECK(row.out_of_place.ranks_iterations_us[2].size() == 5);
  CHECK(row.out_of_place.ranks_iterations_us[2][4] == Approx(3));
}

TEST_CASE("measure: statistics leave out the first iterations of each sample") {
  Timing timing = iterations(3);
  timing.skipped = 1;
  CHECK(counted_iterations({9, 1, 2, 8, 3, 4}, timing) == std::vector<double>{1, 2, 3, 4});
}
