#include "launcher/job/allocation.h"

#include "tests/unit/catch.h"

using slipway::job::asks_for_no_kill;

TEST_CASE("allocation: --no-kill in a script, and what only looks like it") {
  CHECK(asks_for_no_kill("#!/bin/bash\n#SBATCH --nodes=4 --no-kill\ntrain\n"));
  CHECK(asks_for_no_kill("#SBATCH -k\n"));
  CHECK_FALSE(asks_for_no_kill("##SBATCH --no-kill\n"));
  CHECK_FALSE(asks_for_no_kill("#SBATCH --nodes=4 # --no-kill\n"));
  CHECK_FALSE(asks_for_no_kill("srun --no-kill train\n"));
  CHECK_FALSE(asks_for_no_kill(""));
}
