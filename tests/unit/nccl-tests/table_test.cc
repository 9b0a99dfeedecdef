#include "nccl-tests/table.h"

#include "common/text.h"
#include "tests/unit/catch.h"
#include "tests/unit/nccl-tests/sample.h"

using namespace slipway;
using namespace slipway::bandwidth;

TEST_CASE("table: a number loses decimals as its integer part grows, then turns to an exponent") {
  CHECK(fit(0, 7) == "   0.00");
  CHECK(fit(9.999, 7) == "  10.00");
  CHECK(fit(1234.567, 7) == "1234.57");
  CHECK(fit(24131, 7) == "24131.0");
  CHECK(fit(123456.7, 7) == " 123457");
  CHECK(fit(1234567, 7) == "1234567");
  CHECK(fit(12345678, 7) == "1.2e+07");
  CHECK(fit(355.98, 6) == "355.98");
  CHECK(fit(1234.5, 6) == "1234.5");
  CHECK(fit(12345, 6) == " 12345");
  CHECK(fit(117159, 6) == "117159");
  CHECK(fit(1171590, 6) == " 1e+06");
}

TEST_CASE("table: a number that rounds up to one digit more still fits") {
  CHECK(fit(999.999, 6) == "1000.0");
  CHECK(fit(9999.999, 7) == "10000.0");
  CHECK(fit(999999.9, 6) == " 1e+06");
}

TEST_CASE("table: the header is nccl-tests', byte for byte") {
  CHECK(table_header(sample_setup()) ==
        "# nccl-tests version " SLIPWAY_VERSION
        "-slipway nccl-headers=0 nccl-library=0\n"
        "# Collective test starting: all_gather_perf\n"
        "# nThread 1 nGpus 1 minBytes 8 maxBytes 64 step: 2(factor) warmup iters: 1 iters: 20 agg "
        "iters: 1 validation: 1 graph: 0 unalign: 0\n"
        "#\n"
        "# Using devices\n"
        "#  Rank  0 Group  0 Pid   6514 on         vm device  0 [host memory] Some CPU\n"
        "#  Rank  1 Group  0 Pid 123456 on quick-a3meganodeset-1 device  0 [host memory] Some CPU\n"
        "#\n"
        "#                                                              out-of-place               "
        "        in-place          \n"
        "#       size         count      type   redop    root     time   algbw   busbw  #wrong     "
        "time   algbw   busbw  #wrong \n"
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             "
        "(us)  (GB/s)  (GB/s)         \n");
}

TEST_CASE("table: a sweep by steps says so") {
  Setup setup = sample_setup();
  setup.options.sweep.step_factor = 1;
  CHECK_THAT(table_header(setup), ContainsSubstring(" step: 1048576(bytes) warmup iters: 1 "));
}

TEST_CASE("table: the row of NVIDIA's own output, byte for byte") {
  Row row = sample_row(8589934592, 1, 1);
  row.shape = all_gather.shape(8589934592, 4, 16);
  row.out_of_place.time.us = 24131;
  row.out_of_place.algbw_gb_per_s = 355.98;
  row.out_of_place.busbw_gb_per_s = 333.73;
  row.in_place.time.us = 24127;
  row.in_place.algbw_gb_per_s = 356.04;
  row.in_place.busbw_gb_per_s = 333.79;
  CHECK(table_row(sample_setup(), row) ==
        "  8589934592     134217728     float    none      -1  24131.0  355.98  333.73       0  "
        "24127.0  356.04  333.79       0\n");
}

TEST_CASE("table: a row has 13 words, checked or not") {
  for (const std::optional<int64_t> wrong :
       {std::optional<int64_t>(), std::optional<int64_t>(3), std::optional<int64_t>(123456789)}) {
    const std::string row = table_row(sample_setup(), sample_row(1 << 20, 2, 1, wrong));
    int words = 0;
    for (const std::string& word : split(row, ' ')) words += trim(word).empty() ? 0 : 1;
    CHECK(words == 13);
  }
}

TEST_CASE("table: wrong elements and unchecked data are in the column #wrong") {
  CHECK(table_row(sample_setup(), sample_row(1 << 20, 2, 1, 3)) ==
        "     1048576        131072     float    none      -1   262.14    4.00    2.00       3   "
        "524.29    2.00    1.00       3\n");
  CHECK(
      table_row(sample_setup(), sample_row(1 << 20, 2, 1, 123456789)) ==
      "     1048576        131072     float    none      -1   262.14    4.00    2.00  1.23457e+08 "
      "  524.29    2.00    1.00  1.23457e+08\n");
  CHECK(table_row(sample_setup(), sample_row(1 << 20, 2, 1, std::nullopt)) ==
        "     1048576        131072     float    none      -1   262.14    4.00    2.00    N/A   "
        "524.29    2.00    1.00    N/A\n");
}

TEST_CASE("table: the footer has the mean of every size and both placements") {
  CHECK(table_footer(sample_setup(), {sample_row(64, 1, 2), sample_row(128, 3, 4)}) ==
        "# Out of bounds values : 0 OK\n"
        "# Avg bus bandwidth    : 2.5 \n"
        "#\n"
        "# Collective test concluded: all_gather_perf\n"
        "#\n");
}

TEST_CASE("table: the footer counts runs with wrong data, and fails") {
  CHECK_THAT(table_footer(sample_setup(), {sample_row(64, 1, 2), sample_row(128, 3, 4, 9)}),
             ContainsSubstring("# Out of bounds values : 2 FAILED\n"));
}

TEST_CASE("table: single iterations have four columns more in each placement, nccl-tests' own") {
  Setup setup = sample_setup();
  setup.options.timing.each_iteration = true;
  Row row = sample_row(1 << 20, 2, 1);
  row.out_of_place.iterations_us = {10, 30, 20};
  row.in_place.iterations_us = {5, 5, 5};
  CHECK(table_row(setup, row) ==
        "     1048576        131072     float    none      -1   262.14    4.00    2.00       0    "
        "10.00    30.00    30.00    40.82   524.29    2.00    1.00       0     5.00     5.00     "
        "5.00     0.00\n");
  CHECK_THAT(
      table_header(setup),
      ContainsSubstring(
          "#                                                                 out-of-place (+ "
          "per-iteration)                                in-place (+ per-iteration)\n"
          "#       size         count      type   redop    root     time   algbw   busbw  #wrong   "
          " "
          "i_min    i_max    i_p99    i_cv%     time   algbw   busbw  #wrong    i_min    i_max    "
          "i_p99    i_cv% \n"));
}

TEST_CASE(
    "table: what -K skips is not in the columns of single iterations, and the header says so") {
  Setup setup = sample_setup();
  setup.options.timing.each_iteration = true;
  setup.options.timing.iterations = 3;
  setup.options.timing.skipped = 1;
  Row row = sample_row(1 << 20, 2, 1);
  row.out_of_place.iterations_us = {90, 20, 30};
  row.in_place.iterations_us = {90, 5, 5};
  CHECK_THAT(table_row(setup, row), ContainsSubstring("    20.00    30.00    30.00    20.00 "));
  CHECK_THAT(
      table_header(setup),
      ContainsSubstring("# Per-Iteration Report: clock of the CPU; i_* uses max over process "
                        "rows; summary skips first 1 iterations \n"));
  setup.backend.memory = "gpu";
  CHECK_THAT(table_header(setup),
             ContainsSubstring("# Per-Iteration Report: CUDA event timing; i_* uses max over "));
}

TEST_CASE("table: a timestamp is two words more") {
  Setup setup = sample_setup();
  setup.options.timestamps = true;
  CHECK_THAT(table_row(setup, sample_row(1 << 20, 2, 1), "2026-11-21 08:15:29"),
             ContainsSubstring("       0  2026-11-21 08:15:29\n"));
  CHECK_THAT(table_header(setup), ContainsSubstring("#wrong           timestamp\n"));
}

TEST_CASE("table: a reduction and a root are in their columns") {
  Row row = sample_row(1 << 20, 2, 1);
  row.of = {&collective_of(Kind::reduce), {"float", 4}, Reduction::prod, 3};
  CHECK_THAT(table_row(sample_setup(), row), ContainsSubstring("     float    prod       3  "));
  row.of = {&collective_of(Kind::sendrecv), {"float", 4}, std::nullopt, std::nullopt};
  CHECK_THAT(table_row(sample_setup(), row), ContainsSubstring("     float     sum      -1  "));
}
