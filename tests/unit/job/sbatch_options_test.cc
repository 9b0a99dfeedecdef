// Tests of reading what a job requested from sbatch. The expected values are those of sbatch 22.05
// for the same lines.
#include "launcher/job/sbatch_options.h"

#include "tests/unit/catch.h"

using namespace slipway::job;

namespace {

SbatchOptions in_script(const std::string& lines) {
  return sbatch_options("#!/bin/bash\n" + lines + "\ntrain\n#SBATCH --nodes=99 --no-kill\n", "");
}

SbatchOptions with_line(const std::string& submit_line) {
  return sbatch_options("#SBATCH --nodes=4 --no-kill\n", submit_line);
}

}  // namespace

TEST_CASE("sbatch options: the number of nodes, in all notations") {
  for (const char* line :
       {"#SBATCH --nodes=5", "#SBATCH --nodes 5", "#SBATCH -N5", "#SBATCH -N 5", "#SBATCH -N\t5-8",
        "#SBATCH --nodes=5-8", "#SBATCH --nodes=\"5\"", "#SBATCH '--nodes=5'", "#SBATCH -N\\5",
        "#SBATCH -HN5", "#SBATCH --time=1 -N5 # eight: -N8", "#SBATCH -N5#8", "#SBATCH--nodes=5",
        "#SBATCH -N8\n#SBATCH -N5", "# ours\n\n#SBATCH -N5\n", "#SBATCH\t-N5",
        "#SBATCH --job-name=-N8 -J -N9 --nodes=5"}) {
    INFO(line);
    CHECK(in_script(line).least_nodes == 5);
  }
  CHECK(in_script("#SBATCH --nodes=2k").least_nodes == 2048);
}

TEST_CASE("sbatch options: invalid numbers of nodes") {
  for (const char* line :
       {"", "##SBATCH --nodes=5", " #SBATCH --nodes=5", "# SBATCH --nodes=5", "#sbatch -N5",
        "#SBATCH # --nodes=5", "#SBATCH --job-name=x-N5", "#SBATCH -J -N5",
        "#SBATCH --comment '-N5'", "#SBATCH --nodelist=n-5", "#SBATCH --nodes=many",
        "#SBATCH --nodes=", "#SBATCH -N", "#SBATCH train -N5", "export A=1\n#SBATCH -N5"}) {
    INFO(line);
    CHECK(in_script(line).least_nodes == 0);
  }
}

TEST_CASE("sbatch options: --no-kill, and what only looks like it") {
  for (const char* line :
       {"#SBATCH --no-kill", "#SBATCH -k", "#SBATCH --nodes=4 --no-kill", "#SBATCH --no-kill=set",
        "#SBATCH -kset", "#SBATCH -Hk", "#SBATCH --no-kill=off\n#SBATCH -k"}) {
    INFO(line);
    CHECK(in_script(line).no_kill);
  }
  for (const char* line : {"", "##SBATCH --no-kill", "#SBATCH --nodes=4 # --no-kill",
                           "srun --no-kill train", "#SBATCH --no-kill=off", "#SBATCH --no-kill=no",
                           "#SBATCH --comment=\"use --no-kill\"", "#SBATCH -J --no-kill"}) {
    INFO(line);
    CHECK_FALSE(in_script(line).no_kill);
  }
}

TEST_CASE("sbatch options: of a heterogeneous job, the first component") {
  const SbatchOptions options = in_script("#SBATCH -N2\n#SBATCH hetjob\n#SBATCH -N7 -k");
  CHECK(options.least_nodes == 2);
  CHECK_FALSE(options.no_kill);
  CHECK(in_script("#SBATCH -N2\n#SBATCH PackJob -N7").least_nodes == 2);
}

TEST_CASE("sbatch options: the command line wins over the script, up to the script's name") {
  CHECK(with_line("").least_nodes == 4);
  CHECK(with_line("").no_kill);
  CHECK(with_line("sbatch --nodes=7 train.sbatch").least_nodes == 7);
  CHECK(with_line("sbatch -N 7-9 -k train.sbatch -N 8").least_nodes == 7);
  CHECK(with_line("/usr/bin/sbatch train.sbatch -N 8 --no-kill=off").least_nodes == 4);
  CHECK(with_line("sbatch train.sbatch --no-kill=off WorkDir=/home").no_kill);
  CHECK_FALSE(with_line("sbatch --no-kill=off train.sbatch WorkDir=/home").no_kill);
  CHECK(with_line("sbatch --comment=it's#7 -N7 train.sbatch").least_nodes == 7);
}
