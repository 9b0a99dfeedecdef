// Tests of the reconciler's plan: changed clusters and templates, and maintenance of hosts.
#include <fmt/core.h>

#include "launcher/node/reconcile.h"
#include "tests/unit/catch.h"
#include "tests/unit/node/reconcile_world.h"

using namespace slipway;
using namespace slipway::node;
using namespace slipway::node::reconcile_tests;

TEST_CASE("reconcile: nodes that are no longer in the cluster go when their jobs have ended") {
  World world;
  world.cluster.nodesets["gpu"].static_count = 1;
  world.cluster.nodesets["gpu"].dynamic_count = 0;
  world.node("c-gpu-0", {"idle"}).machine("c-gpu-0");
  world.node("c-gpu-1", {"allocated"}).machine("c-gpu-1");
  world.node("c-old-0", {"idle"}).machine("c-old-0").nodeset = "old";
  CHECK(world.steps() ==
        StepTexts{"power down c-gpu-1 when its jobs have ended: no longer wanted",
                  "power down c-old-0 when its jobs have ended: no longer wanted"});
}

TEST_CASE("reconcile: a file without numbers of nodes takes none away") {
  World world;
  world.cluster.nodesets["gpu"].static_count = 0;
  world.cluster.nodesets["gpu"].dynamic_count = 0;
  world.node("c-gpu-7", {"idle"}).machine("c-gpu-7");
  CHECK(world.steps() == StepTexts{});
}

TEST_CASE(
    "reconcile: a changed template replaces a tenth of the static nodes at a time, idle first") {
  World world;
  world.cluster.nodesets["gpu"].static_count = 20;
  for (int i = 0; i < 20; ++i) {
    const std::string name = fmt::format("c-gpu-{}", i);
    world.node(name, {i < 18 ? "allocated" : "idle"}).machine(name);
  }
  CHECK(world.steps() == StepTexts{});
  world.memory.templates[new_template] = now;
  CHECK(world.steps() ==
        StepTexts{
            "power down c-gpu-18 when its jobs have ended: replaced, its template has changed",
            "power down c-gpu-19 when its jobs have ended: replaced, its template has changed"});
  // One is on its way.
  world.nodes[18].flags = {"cloud", "idle", "drain", "power_down"};
  CHECK(world.steps() ==
        StepTexts{
            "power down c-gpu-19 when its jobs have ended: replaced, its template has changed"});
  // No idle one is left: the others wait for their jobs.
  world.nodes[18].flags = world.nodes[19].flags = {"cloud", "idle"};
  world.machines.machines[18].created = world.machines.machines[19].created = now + 1;
  CHECK(
      world.steps() ==
      StepTexts{"power down c-gpu-0 when its jobs have ended: replaced, its template has changed",
                "power down c-gpu-1 when its jobs have ended: replaced, its template has changed"});
}

TEST_CASE("reconcile: at least one node is replaced at a time, and none while one is away") {
  World world;
  world.memory.templates[new_template] = now;
  world.node("c-gpu-0", {"idle"}).machine("c-gpu-0");
  world.node("c-gpu-1", {"idle"}).machine("c-gpu-1");
  CHECK(world.steps().size() == 1);
  world.node("c-gpu-2", {"idle", "powering_up"});
  CHECK(world.steps() == StepTexts{});
}

TEST_CASE("reconcile: dynamic nodes, held ones and those of unknown age keep their machine") {
  World world;
  world.memory.templates[new_template] = now;
  world.node("c-gpu-4", {"idle"}).machine("c-gpu-4");
  world.node("c-gpu-0", {"idle", "drain"}, "mine").machine("c-gpu-0");
  world.node("c-gpu-1", {"idle"}).machine("c-gpu-1").created = 0;
  world.node("c-gpu-2", {"idle"}).machine("c-gpu-2").created = now;
  CHECK(world.steps() == StepTexts{});
}

TEST_CASE("reconcile: maintenance reserves the node, once, and releases it when it is moved") {
  World world;
  world.cluster.nodesets["gpu"].maintenance = Maintenance{"", true, false};
  world.node("c-gpu-0", {"allocated"}).machine("c-gpu-0").maintenance =
      HostMaintenance{now + 3600, now + 7200, false, true};
  const std::string first = reservation_of("c-gpu-0", now + 3600);
  CHECK(world.steps() == StepTexts{"create reservation " + first + " for c-gpu-0"});
  CHECK(world.steps_after(60) == StepTexts{});
  world.machines.machines[0].maintenance->start += 60;
  const std::string second = reservation_of("c-gpu-0", now + 3660);
  CHECK(world.steps() ==
        StepTexts{"create reservation " + second + " for c-gpu-0",
                  "delete reservation " + first + ": its maintenance is over or moved"});
}

TEST_CASE("reconcile: a node is drained during maintenance, and back after it") {
  World world;
  world.node("c-gpu-0", {"allocated"}).machine("c-gpu-0").maintenance =
      HostMaintenance{now, now + 3600, false, false};
  CHECK(world.steps() == StepTexts{"drain c-gpu-0: host maintenance until 2027-01-15 09:00:00Z"});
  world.nodes[0] = {"c-gpu-0", {"cloud", "idle", "drain"}, "slipway: host maintenance until then"};
  CHECK(world.steps() == StepTexts{});
  // Its machine stops for the maintenance, and comes back by itself.
  world.machines.machines[0].status = "TERMINATED";
  CHECK(world.steps_after(10'000) == StepTexts{});
  world.machines.machines[0].status = "RUNNING";
  world.machines.machines[0].maintenance.reset();
  CHECK(world.steps() == StepTexts{"resume c-gpu-0: the maintenance of its host is over"});
}

TEST_CASE(
    "reconcile: maintenance that is ongoing or announced drains nothing by itself elsewhere") {
  World world;
  world.node("c-gpu-0", {"allocated"}).machine("c-gpu-0").maintenance =
      HostMaintenance{now + 60, now + 3600, false, true};
  CHECK(world.steps() == StepTexts{});  // without the settings
  world.machines.machines[0].maintenance->ongoing = true;
  CHECK(world.steps().size() == 1);
  world.nodes[0] = {"c-gpu-0", {"cloud", "idle", "drain"}, "mine"};
  CHECK(world.steps() == StepTexts{});
}

TEST_CASE("reconcile: opportunistic maintenance begins on idle nodes, one at a time here") {
  World world;
  world.cluster.nodesets["gpu"].maintenance = Maintenance{"PERIODIC", false, true};
  const HostMaintenance later{now + 36'000, now + 40'000, false, true};
  world.node("c-gpu-0", {"allocated"}).machine("c-gpu-0").maintenance = later;
  world.node("c-gpu-1", {"idle"}).machine("c-gpu-1").maintenance = later;
  world.node("c-gpu-2", {"idle"}).machine("c-gpu-2").maintenance = later;
  CHECK(world.steps() ==
        StepTexts{"drain c-gpu-1: host maintenance, early because it was idle",
                  "start the maintenance of the host of c-gpu-1: the node is idle"});
  world.nodes[1] = {"c-gpu-1", {"cloud", "idle", "drain"}, "slipway: host maintenance, early"};
  CHECK(world.steps() == StepTexts{});
  world.nodes[1].flags = {"cloud", "idle"};
  world.machines.machines[1].maintenance->can_start = false;
  world.machines.machines[2].maintenance->can_start = false;
  CHECK(world.steps() == StepTexts{});
}

TEST_CASE("reconcile: several things at once do not disturb each other") {
  World world;
  world.memory.templates[new_template] = now;
  world.cluster.nodesets["gpu"].maintenance = Maintenance{"", true, false};
  // Preempted, outdated and announced for maintenance: it is only given up.
  CloudMachine& machine = world.node("c-gpu-0", {"idle"}).machine("c-gpu-0", "STOPPING");
  machine.is_spot = true;
  // Outdated, and under maintenance: it is only drained.
  world.node("c-gpu-1", {"idle"}).machine("c-gpu-1").maintenance =
      HostMaintenance{now - 1, now + 60, true, false};
  world.node("c-gpu-2", {"idle", "powered_down"});
  world.machine("c-gpu-5");
  CHECK(world.steps_after(300) ==
        StepTexts{"set down c-gpu-0: its machine was preempted",
                  "power down c-gpu-0: its machine was preempted",
                  "make a machine for c-gpu-2: a static node without a machine",
                  "delete machine c-gpu-5: no node wants this machine",
                  "drain c-gpu-1: host maintenance until 2027-01-15 08:01:00Z"});
}
