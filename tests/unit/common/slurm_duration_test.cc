// Tests of lengths of time in Slurm's notation.
#include "common/slurm_duration.h"

#include "tests/unit/catch.h"

using slipway::slurm_duration;

TEST_CASE("slurm duration: all of sbatch's notations") {
  CHECK(slurm_duration("90") == 5400);
  CHECK(slurm_duration("10:00") == 600);
  CHECK(slurm_duration("1:30:00") == 5400);
  CHECK(slurm_duration("2-12") == 216000);
  CHECK(slurm_duration("1-0:30") == 88200);
  CHECK(slurm_duration("1-0:0:1") == 86401);
  CHECK(slurm_duration("1-02:03:04") == 93784);
  CHECK(slurm_duration("2-00:00:00") == 172800);
  CHECK(slurm_duration("0:45") == 45);
  for (const char* none : {"UNLIMITED", "infinite", "-1"}) CHECK(slurm_duration(none) == 0);
  for (const char* wrong : {"", "1h", "1:2:3:4", "-", "1-", "x-1", "1-1:1:1:1", "INVALID",
                            "Partition_Limit", "-5", "999999-0"}) {
    INFO(wrong);
    CHECK(slurm_duration(wrong) == std::nullopt);
  }
}
