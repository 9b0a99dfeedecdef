#include "launcher/cluster/slurm_line.h"

#include "tests/unit/catch.h"

using slipway::cluster::SlurmLine;

TEST_CASE("slurm line: keys keep their order, and their case does not matter") {
  SlurmLine line;
  line.set("NodeName", "n-0");
  line.set("CPUs", "4");
  line.set("RealMemory", "100");
  line.override_with({{"cpus", "8"}, {"realmemory", ""}, {"Feature", "fast"}}, {});
  CHECK(line.text() == "NodeName=n-0 CPUs=8 Feature=fast\n");
  CHECK(line.number("CPUS", 1) == 8);
  CHECK(line.number("Boards", 1) == 1);
  CHECK_FALSE(line.has("RealMemory"));
}

TEST_CASE("slurm line: a value with white space is quoted") {
  SlurmLine line;
  line.set("NodeName", "n-0");
  line.set("Reason", "being repaired");
  CHECK(line.text() == "NodeName=n-0 Reason=\"being repaired\"\n");
}

TEST_CASE("slurm line: an override cannot break out of its line") {
  SlurmLine line;
  CHECK_THROWS_WITH(line.override_with({{"Feature", "a\nInclude"}}, {}),
                    "`Feature` has a value that slurm.conf cannot hold: `a\\x0aInclude`");
  CHECK_THROWS_WITH(line.override_with({{"Feature", "a#b"}}, {}),
                    "`Feature` has a value that slurm.conf cannot hold: `a#b`");
  CHECK_THROWS_WITH(line.override_with({{"Feature", "a\\"}}, {}),
                    "`Feature` has a value that slurm.conf cannot hold: `a\\`");
  CHECK_THROWS_WITH(line.override_with({{"Feature", "\x1b[2J\r"}}, {}),
                    "`Feature` has a value that slurm.conf cannot hold: `\\x1b[2J\\x0d`");
  CHECK_THROWS_WITH(line.override_with({{"A=1 B", "2"}}, {}), "`A=1 B` is not a key of slurm.conf");
  CHECK_THROWS_WITH(line.override_with({{"nodename", "x"}}, {"NodeName"}),
                    "`nodename` cannot be set here");
}

TEST_CASE("slurm line: a number must be whole") {
  SlurmLine line;
  line.set("CPUs", "8x");
  CHECK_THROWS_WITH(line.number("CPUs", 1), "`CPUs` is `8x`, expected a whole number");
  line.set("CPUs", "-8");
  CHECK_THROWS_WITH(line.number("CPUs", 1), "`CPUs` is `-8`, expected a whole number");
  line.set("CPUs", "99999999999999999999");
  CHECK_THROWS_WITH(line.number("CPUs", 1),
                    "`CPUs` is `99999999999999999999`, expected a whole number");
}
