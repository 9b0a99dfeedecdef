// Tests of the reconciler's plan: which nodes get a machine, and which are given up.
#include "launcher/node/reconcile.h"

#include <fmt/core.h>

#include "tests/unit/catch.h"
#include "tests/unit/node/reconcile_world.h"

using namespace slipway;
using namespace slipway::node;
using namespace slipway::node::reconcile_tests;

TEST_CASE("reconcile: a quiet cluster gives no steps") {
  World world;
  world.node("c-gpu-0", {"idle"}).machine("c-gpu-0");
  world.node("c-gpu-1", {"allocated"}).machine("c-gpu-1");
  world.node("c-gpu-2", {"idle", "powering_up", "not_responding"}).machine("c-gpu-2", "STAGING");
  world.node("c-gpu-3", {"mixed", "completing"}).machine("c-gpu-3");
  world.node("c-gpu-4", {"idle", "powered_down"});
  world.node("c-gpu-5", {"idle", "powering_down"}).machine("c-gpu-5", "STOPPING");
  world.node("c-gpu-6", {"idle", "power_up", "powered_down"});
  world.node("c-gpu-7", {"idle", "powering_up"});
  CHECK(world.steps() == StepTexts{});
  CHECK(world.steps_after(100'000) == StepTexts{});
}

TEST_CASE("reconcile: static nodes without a machine get one, dynamic ones do not") {
  World world;
  world.node("c-gpu-3", {"idle", "powered_down"}).node("c-gpu-4", {"idle", "powered_down"});
  CHECK(world.steps() == StepTexts{"make a machine for c-gpu-3: a static node without a machine"});
}

TEST_CASE("reconcile: a static node that does not start is tried again less and less often") {
  World world;
  world.node("c-gpu-0", {"idle", "powered_down"});
  std::vector<int64_t> tried;
  for (int minute = 0; minute < 12 * 60; ++minute) {
    if (!world.steps().empty()) tried.push_back(minute);
    world.steps_after(60);
  }
  // After 1, 2, 4, … minutes, and then every hour.
  REQUIRE(tried.size() > 7);
  CHECK(StepTexts{fmt::format("{} {} {} {} {} {} {}", tried[0], tried[1], tried[2], tried[3],
                              tried[4], tried[5], tried[6])} == StepTexts{"0 1 3 7 15 31 63"});
  CHECK(tried.back() - tried[tried.size() - 2] == 60);
}

TEST_CASE("reconcile: a node that came up is started at once when it is gone again") {
  World world;
  world.node("c-gpu-0", {"idle", "powered_down"});
  world.steps_after(1);
  CHECK(world.steps() == StepTexts{});
  world.nodes.clear();
  world.node("c-gpu-0", {"idle"}).machine("c-gpu-0");
  world.steps_after(1);
  world.nodes.clear();
  world.machines.machines.clear();
  world.node("c-gpu-0", {"idle", "powered_down"});
  CHECK(world.steps().size() == 1);
}

TEST_CASE("reconcile: a node that is between attempts keeps their number") {
  World world;
  world.node("c-gpu-0", {"idle", "powered_down"});
  world.steps_after(1);
  world.nodes[0].flags = {"cloud", "idle", "powering_up"};
  world.steps_after(1);
  world.nodes[0].flags = {"cloud", "down", "powered_down"};
  world.nodes[0].reason = "ResumeTimeout reached";
  world.steps_after(1);
  CHECK(world.memory.attempts.at("start c-gpu-0").count == 1);
}

TEST_CASE(
    "reconcile: a node that never registered is made available, and started if it is static") {
  World world;
  world.node("c-gpu-0", {"down", "powered_down"}, "ResumeTimeout reached");
  world.node("c-gpu-4", {"down", "powered_down"}, "ResumeTimeout reached");
  CHECK(world.steps() == StepTexts{});
  CHECK(world.steps_after(120) ==
        StepTexts{"make c-gpu-0 available: it can be started again",
                  "make a machine for c-gpu-0: a static node without a machine",
                  "make c-gpu-4 available: it can be started again"});
}

TEST_CASE("reconcile: a reason of ResumeProgram to which Slurm added its own is not a person's") {
  World world;
  world.node("c-gpu-4", {"down", "powered_down"},
             "us-east1: ZONE_RESOURCE_POOL_EXHAUSTED : ResumeTimeout reached");
  CHECK(world.steps() == StepTexts{});
  world.steps_after(Graces().orphan);
  CHECK(world.steps_after(120) == StepTexts{"make c-gpu-4 available: it can be started again"});
}

TEST_CASE("reconcile: what a person has set down or drained stays so") {
  World world;
  world.node("c-gpu-0", {"down", "powered_down"}, "broken cable");
  world.node("c-gpu-1", {"idle", "drain", "powered_down"}, "broken cable");
  world.node("c-gpu-2", {"down"}, "looking at it").machine("c-gpu-2", "TERMINATED");
  world.node("c-gpu-3", {"down"}, "looking at it").machine("c-gpu-3");
  CHECK(world.steps() == StepTexts{});
  CHECK(world.steps_after(100'000) == StepTexts{});
}

TEST_CASE("reconcile: a preempted machine is given up at once") {
  const char* status = GENERATE("STOPPING", "TERMINATED", "STOPPED");
  World world;
  world.node("c-gpu-0", {"allocated"}).machine("c-gpu-0", status).is_spot = true;
  world.node("c-gpu-4", {"idle", "not_responding"}).machine("c-gpu-4", status).is_spot = true;
  CHECK(world.steps() == StepTexts{"set down c-gpu-0: its machine was preempted",
                                   "power down c-gpu-0: its machine was preempted",
                                   "set down c-gpu-4: its machine was preempted",
                                   "power down c-gpu-4: its machine was preempted"});
}

TEST_CASE("reconcile: a machine that was stopped is given up after a minute") {
  World world;
  world.node("c-gpu-0", {"allocated"}).machine("c-gpu-0", "TERMINATED");
  CHECK(world.steps() == StepTexts{});
  CHECK(world.steps_after(59) == StepTexts{});
  CHECK(world.steps_after(1) == StepTexts{"set down c-gpu-0: its machine was stopped",
                                          "power down c-gpu-0: its machine was stopped"});
}

TEST_CASE("reconcile: a machine preempted while it boots is given up") {
  World world;
  world.node("c-gpu-4", {"mixed", "powering_up"}).machine("c-gpu-4", "TERMINATED").is_spot = true;
  CHECK(world.steps() == StepTexts{});  // ResumeProgram may be starting it
  CHECK(world.steps_after(300) ==
        StepTexts{"set down c-gpu-4: its machine stopped before it registered",
                  "power down c-gpu-4: its machine stopped before it registered"});
}

TEST_CASE("reconcile: a node whose machine was deleted goes down, if that is so") {
  World world;
  world.node("c-gpu-0", {"allocated"});
  CHECK(world.steps() == StepTexts{});
  CHECK(world.steps_after(60) == StepTexts{"set down c-gpu-0: its machine is gone",
                                           "power down c-gpu-0: its machine is gone"});
  const Graces graces;
  for (const Step& step :
       plan_steps({world.cluster, world.nodes, world.machines, graces, world.time}, world.memory)
           .steps) {
    CHECK(step.if_gone);
  }
}

TEST_CASE("reconcile: a node that is down already is only powered down") {
  World world;
  world.node("c-gpu-0", {"down"}, "slipway: the node is off or out of reach");
  world.node("c-gpu-4", {"down"}, "zone-a: QUOTA_EXCEEDED");  // ResumeProgram's, shown for a while
  CHECK(world.steps_after(60) == StepTexts{"power down c-gpu-0: its machine is gone"});
  CHECK(world.steps_after(240) == StepTexts{"power down c-gpu-0: its machine is gone",
                                            "power down c-gpu-4: its machine is gone"});
}

TEST_CASE("reconcile: a zone that does not answer says nothing about its machines") {
  World world;
  world.node("c-gpu-0", {"allocated"}).node("c-gpu-1", {"idle", "powered_down"});
  world.machines.unknown_zones = {"zone-b"};
  CHECK(world.steps_after(100'000) == StepTexts{});
  world.machines.unknown_zones = {"zone-c"};
  CHECK(world.steps().size() == 1);
}

TEST_CASE("reconcile: a node that runs but was given up gets a new machine") {
  const char* reason = GENERATE("Not responding", "ResumeTimeout reached",
                                "slipway: the node is off or out of reach");
  World world;
  world.node("c-gpu-0", {"down", "not_responding"}, reason).machine("c-gpu-0");
  CHECK(world.steps_after(899) == StepTexts{});
  CHECK(world.steps_after(1) ==
        StepTexts{"power down c-gpu-0: it does not answer, so its machine is replaced"});
}

TEST_CASE("reconcile: a node that Slurm drained for a job started twice comes back without jobs") {
  World world;
  world.node("c-gpu-0", {"allocated", "drain"}, "Duplicate jobid").machine("c-gpu-0");
  world.node("c-gpu-1", {"idle", "drain"}, "Duplicate jobid").machine("c-gpu-1");
  CHECK(world.steps_after(59) == StepTexts{});
  CHECK(world.steps_after(1) ==
        StepTexts{"resume c-gpu-1: the job that Slurm started twice has ended"});
}

TEST_CASE("reconcile: graces can be shortened") {
  const Graces none = Graces{}.at_most(0);
  CHECK((none.gone | none.orphan | none.silent | none.failed | none.policy) == 0);
  CHECK(Graces{}.at_most(100).gone == 60);
}
