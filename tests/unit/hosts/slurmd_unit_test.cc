// What nodes say about slurmd as a service of systemd, and why they say nothing.
#include "launcher/hosts/slurmd_unit.h"

#include "tests/unit/catch.h"

using slipway::hosts::reason_of_failure;
using slipway::hosts::why_not_restart;

TEST_CASE("slurmd's unit: may restart if it leaves jobs alone") {
  CHECK(why_not_restart({"n1", "KillMode=process\nActiveState=active\n", ""}).empty());
  CHECK(why_not_restart({"n1", "KillMode=none\nActiveState=active\n", ""}).empty());
}

TEST_CASE("slurmd's unit: a unit that would end jobs is not restarted") {
  CHECK(why_not_restart({"n1", "KillMode=control-group\nActiveState=active\n", ""}) ==
        "slurmd.service has KillMode=control-group, which ends jobs; KillMode=process does not");
  CHECK(why_not_restart({"n1", "KillMode=mixed\nActiveState=active\n", ""}) ==
        "slurmd.service has KillMode=mixed, which ends jobs; KillMode=process does not");
}

TEST_CASE("slurmd's unit: a unit that does not run is not the node's slurmd") {
  CHECK(why_not_restart({"n1", "KillMode=control-group\nActiveState=inactive\n", ""}) ==
        "it does not run as slurmd.service");
  CHECK(why_not_restart({"n1", "", ""}) == "it does not run as slurmd.service");
}

TEST_CASE("slurmd's unit: a node without systemd says so itself") {
  CHECK(why_not_restart({"n1", "", "System has not been booted with systemd as init system"}) ==
        "System has not been booted with systemd as init system");
}

TEST_CASE("node answers: the command's own words are the reason, if it has any") {
  const std::string status = "srun: error: n-0: task 0: Exited with exit code 1\n";
  CHECK(reason_of_failure("System has not been booted with systemd\n" + status) ==
        "System has not been booted with systemd");
  CHECK(reason_of_failure(status) == "srun: error: n-0: task 0: Exited with exit code 1");
  CHECK(reason_of_failure("srun: error: Unable to allocate resources\n") ==
        "srun: error: Unable to allocate resources");
  CHECK(reason_of_failure("") == "the command failed");
}
