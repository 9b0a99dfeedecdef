// Tests reading versions of Slurm.
#include "common/slurm_version.h"

#include "tests/unit/catch.h"

using namespace slipway;

TEST_CASE("slurm version: is read from what Slurm's programs print") {
  CHECK(parse_slurm_version("slurm-wlm 24.11.5\n") == SlurmVersion{24, 11, 5});
  CHECK(parse_slurm_version("24.11.5") == SlurmVersion{24, 11, 5});
  CHECK(parse_slurm_version("slurm 26.05.0-0rc1") == SlurmVersion{26, 5, 0});
  CHECK(parse_slurm_version("slurm-wlm 22.05") < SlurmVersion{23, 2});
  CHECK(parse_slurm_version("") == SlurmVersion{});
  CHECK(parse_slurm_version("slurmctld: error: no configuration") == SlurmVersion{});
}

TEST_CASE("slurm version: is written as Slurm writes it") {
  CHECK(to_string({24, 11, 5}) == "24.11.5");
  CHECK(to_string({22, 5, 11}) == "22.05.11");
  CHECK(parse_slurm_version(to_string({26, 5})) == SlurmVersion{26, 5});
}
