// slurmd as a service of systemd.
#include "launcher/hosts/slurmd_unit.h"

#include "tests/unit/catch.h"

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
