#include "nccl-tests/sizes.h"

#include "common/error.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::bandwidth;
using Sizes = std::vector<int64_t>;

TEST_CASE("sizes: K, M and G are binary, in either case, with fractions") {
  CHECK(parse_size("0") == 0);
  CHECK(parse_size("8") == 8);
  CHECK(parse_size("64K") == 65536);
  CHECK(parse_size("64k") == 65536);
  CHECK(parse_size("1.5G") == 1610612736);
  CHECK(parse_size("0.5M") == 524288);
  CHECK(parse_size("1e3") == 1000);
  CHECK(parse_size("7.9") == 7);
}

TEST_CASE("sizes: an invalid size is refused and quoted") {
  for (const char* text : {"", "K", "8x", "8KX", "=8", "-8", "nan", "inf", " 8", "8 8", "8KiBs"}) {
    CHECK_THROWS_WITH(
        parse_size(text),
        "`" + std::string(text) + "` is not a size; write bytes, or a number with K, M or G");
  }
  CHECK_THROWS_AS(parse_size("8x"), UsageError);
}

TEST_CASE("sizes: a size that no node has is refused") {
  CHECK_THROWS_WITH(parse_size("1e300"), "`1e300` is more than 1048576G");
  CHECK(parse_size("1048576G") == int64_t{1} << 50);
}

TEST_CASE("sizes: a sweep multiplies or adds, and ends at the last size that fits") {
  CHECK(sizes({.min_bytes = 8, .max_bytes = 64, .step_factor = 2}) == Sizes{8, 16, 32, 64});
  CHECK(sizes({.min_bytes = 8, .max_bytes = 63, .step_factor = 2}) == Sizes{8, 16, 32});
  CHECK(sizes({.min_bytes = 0, .max_bytes = 10, .step_bytes = 4}) == Sizes{0, 4, 8});
  CHECK(sizes({}) == Sizes{32 << 20});
}

TEST_CASE("sizes: a factor near the largest number does not overflow") {
  CHECK(sizes({.min_bytes = 8, .max_bytes = 100, .step_factor = INT64_MAX}) == Sizes{8});
}

TEST_CASE("sizes: warm-up takes powers of two and never more than the largest size") {
  CHECK(warmup_sizes({.min_bytes = 8, .max_bytes = 64, .step_factor = 4}) == Sizes{8, 16, 32});
  CHECK(warmup_sizes({.min_bytes = 8, .max_bytes = 32, .step_factor = 4}) == Sizes{8, 16, 32});
  CHECK(warmup_sizes({.min_bytes = 0, .max_bytes = 5, .step_bytes = 4}) == Sizes{1, 2, 4});
}

TEST_CASE("sizes: a sweep that is empty or endless is refused") {
  CHECK_THROWS_WITH(check({.min_bytes = 9, .max_bytes = 8}),
                    "--minbytes is 9, more than --maxbytes, which is 8: nothing to run");
  CHECK_THROWS_WITH(check({.step_factor = 0}), "--stepfactor is 0, it must be at least 1");
  CHECK_THROWS_WITH(
      check({.min_bytes = 0, .step_factor = 2}),
      "--minbytes is 0, which cannot be multiplied; start at 1 or more, or step with -i");
  CHECK_THROWS_WITH(check({.step_bytes = 0}), "--stepbytes is 0, which never reaches --maxbytes");
  CHECK_NOTHROW(check({.min_bytes = 0, .max_bytes = 0}));
}

TEST_CASE("sizes: B and iB follow a unit, as in scripts for nccl-tests") {
  for (const char* text : {"32M", "32MB", "32MiB", "32mb", "32 M"})
    CHECK(slipway::bandwidth::parse_size(text) == 32 << 20);
  CHECK(slipway::bandwidth::parse_size("512KB") == 512 << 10);
  CHECK(slipway::bandwidth::parse_size("8B") == 8);
}
