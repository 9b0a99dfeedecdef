// Tests of the reconciler's plan: what nobody needs, and what is not its own.
#include "launcher/node/reconcile.h"
#include "tests/unit/catch.h"
#include "tests/unit/node/reconcile_world.h"

using namespace slipway;
using namespace slipway::node;
using namespace slipway::node::reconcile_tests;

TEST_CASE("reconcile: a machine that no node wants is deleted after a while") {
  World world;
  world.node("c-gpu-4", {"idle", "powered_down"}).machine("c-gpu-4");
  world.node("c-gpu-5", {"idle", "powered_down"}).machine("c-gpu-5", "TERMINATED");
  world.machine("c-gpu-99");
  CHECK(world.steps() == StepTexts{});
  CHECK(world.steps_after(300) == StepTexts{"delete machine c-gpu-4: no node wants this machine",
                                            "delete machine c-gpu-5: no node wants this machine",
                                            "delete machine c-gpu-99: no node wants this machine"});
}

TEST_CASE("reconcile: deleting is tried again less and less often") {
  World world;
  world.machine("c-gpu-99");
  world.steps_after(300);
  CHECK(world.steps_after(1) == StepTexts{});
  CHECK(world.steps_after(60).size() == 1);
  CHECK(world.steps_after(60) == StepTexts{});
}

TEST_CASE("reconcile: machines that Slurm did not make are nobody's orphans") {
  World world;
  world.node("c-gpu-0", {"idle"}).machine("c-gpu-0");
  world.machine("c-controller").nodeset = "";
  world.machine("c-login-0").nodeset = "";
  world.machine("other-gpu-0");
  world.machine("c-gpu-x7");
  world.machine("c-gpu-07");
  world.machine("c-other-3");  // its label is another nodeset's
  world.machine("c-gpu-99").joins = true;
  world.machine("c-gpu-98", "STOPPING");
  CHECK(world.steps_after(100'000) == StepTexts{});
}

TEST_CASE("reconcile: the second machine of a name is the orphan") {
  World world;
  world.node("c-gpu-4", {"allocated"});
  world.machine("c-gpu-4", "TERMINATED").zone = "zone-b";
  world.machine("c-gpu-4");
  CHECK(world.steps() == StepTexts{});
  CHECK(world.steps_after(300) == StepTexts{"delete machine c-gpu-4: no node wants this machine"});
}

TEST_CASE("reconcile: nodes that are not of this cluster's cloud are left alone") {
  World world;
  world.nodes.push_back({"c-gpu-0", {"idle"}, ""});  // not a cloud node
  world.node("other", {"idle"}).node("c-gpu-x7", {"idle"});
  world.node("c-burst-1", {"idle", "dynamic_norm"});
  CHECK(world.steps_after(100'000) == StepTexts{});
}

TEST_CASE("reconcile: placement policies without machines are left over after half an hour") {
  World world;
  world.machine("c-gpu-0").policies = {"c-gpu-17-0"};
  const Graces graces;
  Situation situation{world.cluster, world.nodes, world.machines, graces, now};
  const StepTexts policies = {"c-gpu-17-0", "c-gpu-18-0", "other-gpu-18-0", "c-placement",
                              "c-train-gpu-18-0"};  // of the cluster c-train
  Memory first, second;
  CHECK(unused_policies(situation, policies, first, Memory{}).empty());
  situation.now += graces.policy;
  CHECK(unused_policies(situation, policies, second, first) == StepTexts{"c-gpu-18-0"});
}
