// Tests the reconciler's plan: what Slurm, the cloud and cluster.json say goes in, steps come out.
#include "launcher/node/reconcile.h"

#include <fmt/core.h>

#include "launcher/node/reconcile_memory.h"
#include "launcher/node/reconcile_run.h"
#include "launcher/node/reconcile_slurm.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::node;

namespace {

constexpr int64_t now = 1'800'000'000;
constexpr const char* new_template = "projects/p/global/instanceTemplates/gpu-2";

// Four static nodes and four dynamic ones in two zones.
struct World {
  ClusterFile cluster;
  std::vector<NodeState> nodes;
  MachineList machines;
  Memory memory;
  int64_t time = now;

  World() {
    cluster.cluster = "c";
    cluster.controller_project = "p";
    Nodes gpu;
    gpu.project = "p";
    gpu.zones = {"zone-a", "zone-b"};
    gpu.instance_template = new_template;
    gpu.static_count = 4;
    gpu.dynamic_count = 4;
    cluster.nodesets["gpu"] = gpu;
  }

  World& node(const std::string& name, std::set<std::string> flags, std::string reason = "") {
    flags.insert("cloud");
    nodes.push_back({name, std::move(flags), std::move(reason)});
    return *this;
  }

  CloudMachine& machine(const std::string& name, const std::string& status = "RUNNING") {
    machines.machines.push_back({name, "p", "zone-a", status, "gpu", now - 10'000});
    return machines.machines.back();
  }

  // The steps in one run, without remembering anything for the next.
  std::vector<std::string> steps() const {
    std::vector<std::string> texts;
    const Graces graces;
    for (const Step& step : plan_steps({cluster, nodes, machines, graces, time}, memory).steps) {
      texts.push_back(text_of(step));
    }
    return texts;
  }

  // The steps after `seconds` in which nothing changed.
  std::vector<std::string> steps_after(int64_t seconds) {
    const Graces graces;
    memory = plan_steps({cluster, nodes, machines, graces, time}, memory).memory;
    time += seconds;
    return steps();
  }
};

using Texts = std::vector<std::string>;

}  // namespace

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
  CHECK(world.steps() == Texts{});
  CHECK(world.steps_after(100'000) == Texts{});
}

TEST_CASE("reconcile: static nodes without a machine get one, dynamic ones do not") {
  World world;
  world.node("c-gpu-3", {"idle", "powered_down"}).node("c-gpu-4", {"idle", "powered_down"});
  CHECK(world.steps() == Texts{"make a machine for c-gpu-3: a static node without a machine"});
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
  CHECK(Texts{fmt::format("{} {} {} {} {} {} {}", tried[0], tried[1], tried[2], tried[3], tried[4],
                          tried[5], tried[6])} == Texts{"0 1 3 7 15 31 63"});
  CHECK(tried.back() - tried[tried.size() - 2] == 60);
}

TEST_CASE("reconcile: a node that came up is started at once when it is gone again") {
  World world;
  world.node("c-gpu-0", {"idle", "powered_down"});
  world.steps_after(1);
  CHECK(world.steps() == Texts{});
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
  CHECK(world.steps() == Texts{});
  CHECK(world.steps_after(120) ==
        Texts{"make c-gpu-0 available: it can be started again",
              "make a machine for c-gpu-0: a static node without a machine",
              "make c-gpu-4 available: it can be started again"});
}

TEST_CASE("reconcile: what a person has set down or drained stays so") {
  World world;
  world.node("c-gpu-0", {"down", "powered_down"}, "broken cable");
  world.node("c-gpu-1", {"idle", "drain", "powered_down"}, "broken cable");
  world.node("c-gpu-2", {"down"}, "looking at it").machine("c-gpu-2", "TERMINATED");
  world.node("c-gpu-3", {"down"}, "looking at it").machine("c-gpu-3");
  CHECK(world.steps() == Texts{});
  CHECK(world.steps_after(100'000) == Texts{});
}

TEST_CASE("reconcile: a preempted machine is given up at once") {
  const char* status = GENERATE("STOPPING", "TERMINATED", "STOPPED");
  World world;
  world.node("c-gpu-0", {"allocated"}).machine("c-gpu-0", status).is_spot = true;
  world.node("c-gpu-4", {"idle", "not_responding"}).machine("c-gpu-4", status).is_spot = true;
  CHECK(world.steps() == Texts{"set down c-gpu-0: its machine was preempted",
                               "power down c-gpu-0: its machine was preempted",
                               "set down c-gpu-4: its machine was preempted",
                               "power down c-gpu-4: its machine was preempted"});
}

TEST_CASE("reconcile: a machine that was stopped is given up after a minute") {
  World world;
  world.node("c-gpu-0", {"allocated"}).machine("c-gpu-0", "TERMINATED");
  CHECK(world.steps() == Texts{});
  CHECK(world.steps_after(59) == Texts{});
  CHECK(world.steps_after(1) == Texts{"set down c-gpu-0: its machine was stopped",
                                      "power down c-gpu-0: its machine was stopped"});
}

TEST_CASE("reconcile: a machine preempted while it boots is given up") {
  World world;
  world.node("c-gpu-4", {"mixed", "powering_up"}).machine("c-gpu-4", "TERMINATED").is_spot = true;
  CHECK(world.steps() == Texts{});  // ResumeProgram may be starting it
  CHECK(world.steps_after(300) ==
        Texts{"set down c-gpu-4: its machine stopped before it registered",
              "power down c-gpu-4: its machine stopped before it registered"});
}

TEST_CASE("reconcile: a node whose machine was deleted goes down, if that is so") {
  World world;
  world.node("c-gpu-0", {"allocated"});
  CHECK(world.steps() == Texts{});
  CHECK(world.steps_after(60) ==
        Texts{"set down c-gpu-0: its machine is gone", "power down c-gpu-0: its machine is gone"});
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
  CHECK(world.steps_after(60) == Texts{"power down c-gpu-0: its machine is gone"});
  CHECK(world.steps_after(240) == Texts{"power down c-gpu-0: its machine is gone",
                                        "power down c-gpu-4: its machine is gone"});
}

TEST_CASE("reconcile: a zone that does not answer says nothing about its machines") {
  World world;
  world.node("c-gpu-0", {"allocated"}).node("c-gpu-1", {"idle", "powered_down"});
  world.machines.unknown_zones = {"zone-b"};
  CHECK(world.steps_after(100'000) == Texts{});
  world.machines.unknown_zones = {"zone-c"};
  CHECK(world.steps().size() == 1);
}

TEST_CASE("reconcile: a node that runs but was given up gets a new machine") {
  const char* reason = GENERATE("Not responding", "ResumeTimeout reached",
                                "slipway: the node is off or out of reach");
  World world;
  world.node("c-gpu-0", {"down", "not_responding"}, reason).machine("c-gpu-0");
  CHECK(world.steps_after(899) == Texts{});
  CHECK(world.steps_after(1) ==
        Texts{"power down c-gpu-0: it does not answer, so its machine is replaced"});
}

TEST_CASE("reconcile: a machine that no node wants is deleted after a while") {
  World world;
  world.node("c-gpu-4", {"idle", "powered_down"}).machine("c-gpu-4");
  world.node("c-gpu-5", {"idle", "powered_down"}).machine("c-gpu-5", "TERMINATED");
  world.machine("c-gpu-99");
  CHECK(world.steps() == Texts{});
  CHECK(world.steps_after(300) == Texts{"delete machine c-gpu-4: no node wants this machine",
                                        "delete machine c-gpu-5: no node wants this machine",
                                        "delete machine c-gpu-99: no node wants this machine"});
}

TEST_CASE("reconcile: deleting is tried again less and less often") {
  World world;
  world.machine("c-gpu-99");
  world.steps_after(300);
  CHECK(world.steps_after(1) == Texts{});
  CHECK(world.steps_after(60).size() == 1);
  CHECK(world.steps_after(60) == Texts{});
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
  CHECK(world.steps_after(100'000) == Texts{});
}

TEST_CASE("reconcile: the second machine of a name is the orphan") {
  World world;
  world.node("c-gpu-4", {"allocated"});
  world.machine("c-gpu-4", "TERMINATED").zone = "zone-b";
  world.machine("c-gpu-4");
  CHECK(world.steps() == Texts{});
  CHECK(world.steps_after(300) == Texts{"delete machine c-gpu-4: no node wants this machine"});
}

TEST_CASE("reconcile: nodes that are not of this cluster's cloud are left alone") {
  World world;
  world.nodes.push_back({"c-gpu-0", {"idle"}, ""});  // not a cloud node
  world.node("other", {"idle"}).node("c-gpu-x7", {"idle"});
  world.node("c-burst-1", {"idle", "dynamic_norm"});
  CHECK(world.steps_after(100'000) == Texts{});
}

TEST_CASE("reconcile: nodes that are no longer in the cluster go when their jobs have ended") {
  World world;
  world.cluster.nodesets["gpu"].static_count = 1;
  world.cluster.nodesets["gpu"].dynamic_count = 0;
  world.node("c-gpu-0", {"idle"}).machine("c-gpu-0");
  world.node("c-gpu-1", {"allocated"}).machine("c-gpu-1");
  world.node("c-old-0", {"idle"}).machine("c-old-0").nodeset = "old";
  CHECK(world.steps() == Texts{"power down c-gpu-1 when its jobs have ended: no longer wanted",
                               "power down c-old-0 when its jobs have ended: no longer wanted"});
}

TEST_CASE("reconcile: a file without numbers of nodes takes none away") {
  World world;
  world.cluster.nodesets["gpu"].static_count = 0;
  world.cluster.nodesets["gpu"].dynamic_count = 0;
  world.node("c-gpu-7", {"idle"}).machine("c-gpu-7");
  CHECK(world.steps() == Texts{});
}

TEST_CASE(
    "reconcile: a changed template replaces a tenth of the static nodes at a time, idle first") {
  World world;
  world.cluster.nodesets["gpu"].static_count = 20;
  for (int i = 0; i < 20; ++i) {
    const std::string name = fmt::format("c-gpu-{}", i);
    world.node(name, {i < 18 ? "allocated" : "idle"}).machine(name);
  }
  CHECK(world.steps() == Texts{});
  world.memory.templates[new_template] = now;
  CHECK(world.steps() ==
        Texts{"power down c-gpu-18 when its jobs have ended: replaced, its template has changed",
              "power down c-gpu-19 when its jobs have ended: replaced, its template has changed"});
  // One is on its way.
  world.nodes[18].flags = {"cloud", "idle", "drain", "power_down"};
  CHECK(world.steps() ==
        Texts{"power down c-gpu-19 when its jobs have ended: replaced, its template has changed"});
  // No idle one is left: the others wait for their jobs.
  world.nodes[18].flags = world.nodes[19].flags = {"cloud", "idle"};
  world.machines.machines[18].created = world.machines.machines[19].created = now + 1;
  CHECK(world.steps() ==
        Texts{"power down c-gpu-0 when its jobs have ended: replaced, its template has changed",
              "power down c-gpu-1 when its jobs have ended: replaced, its template has changed"});
}

TEST_CASE("reconcile: at least one node is replaced at a time, and none while one is away") {
  World world;
  world.memory.templates[new_template] = now;
  world.node("c-gpu-0", {"idle"}).machine("c-gpu-0");
  world.node("c-gpu-1", {"idle"}).machine("c-gpu-1");
  CHECK(world.steps().size() == 1);
  world.node("c-gpu-2", {"idle", "powering_up"});
  CHECK(world.steps() == Texts{});
}

TEST_CASE("reconcile: dynamic nodes, held ones and those of unknown age keep their machine") {
  World world;
  world.memory.templates[new_template] = now;
  world.node("c-gpu-4", {"idle"}).machine("c-gpu-4");
  world.node("c-gpu-0", {"idle", "drain"}, "mine").machine("c-gpu-0");
  world.node("c-gpu-1", {"idle"}).machine("c-gpu-1").created = 0;
  world.node("c-gpu-2", {"idle"}).machine("c-gpu-2").created = now;
  CHECK(world.steps() == Texts{});
}

TEST_CASE("reconcile: maintenance reserves the node, once, and releases it when it is moved") {
  World world;
  world.cluster.nodesets["gpu"].maintenance = Maintenance{"", true, false};
  world.node("c-gpu-0", {"allocated"}).machine("c-gpu-0").maintenance =
      HostMaintenance{now + 3600, now + 7200, false, true};
  const std::string first = reservation_of("c-gpu-0", now + 3600);
  CHECK(world.steps() == Texts{"create reservation " + first + " for c-gpu-0"});
  CHECK(world.steps_after(60) == Texts{});
  world.machines.machines[0].maintenance->start += 60;
  const std::string second = reservation_of("c-gpu-0", now + 3660);
  CHECK(world.steps() ==
        Texts{"create reservation " + second + " for c-gpu-0",
              "delete reservation " + first + ": its maintenance is over or moved"});
}

TEST_CASE("reconcile: a node is drained during maintenance, and back after it") {
  World world;
  world.node("c-gpu-0", {"allocated"}).machine("c-gpu-0").maintenance =
      HostMaintenance{now, now + 3600, false, false};
  CHECK(world.steps() == Texts{"drain c-gpu-0: host maintenance until 2027-01-15 09:00:00Z"});
  world.nodes[0] = {"c-gpu-0", {"cloud", "idle", "drain"}, "slipway: host maintenance until then"};
  CHECK(world.steps() == Texts{});
  // Its machine stops for the maintenance, and comes back by itself.
  world.machines.machines[0].status = "TERMINATED";
  CHECK(world.steps_after(10'000) == Texts{});
  world.machines.machines[0].status = "RUNNING";
  world.machines.machines[0].maintenance.reset();
  CHECK(world.steps() == Texts{"resume c-gpu-0: the maintenance of its host is over"});
}

TEST_CASE(
    "reconcile: maintenance that is ongoing or announced drains nothing by itself elsewhere") {
  World world;
  world.node("c-gpu-0", {"allocated"}).machine("c-gpu-0").maintenance =
      HostMaintenance{now + 60, now + 3600, false, true};
  CHECK(world.steps() == Texts{});  // without the settings
  world.machines.machines[0].maintenance->ongoing = true;
  CHECK(world.steps().size() == 1);
  world.nodes[0] = {"c-gpu-0", {"cloud", "idle", "drain"}, "mine"};
  CHECK(world.steps() == Texts{});
}

TEST_CASE("reconcile: opportunistic maintenance begins on idle nodes, one at a time here") {
  World world;
  world.cluster.nodesets["gpu"].maintenance = Maintenance{"PERIODIC", false, true};
  const HostMaintenance later{now + 36'000, now + 40'000, false, true};
  world.node("c-gpu-0", {"allocated"}).machine("c-gpu-0").maintenance = later;
  world.node("c-gpu-1", {"idle"}).machine("c-gpu-1").maintenance = later;
  world.node("c-gpu-2", {"idle"}).machine("c-gpu-2").maintenance = later;
  CHECK(world.steps() == Texts{"drain c-gpu-1: host maintenance, early because it was idle",
                               "start the maintenance of the host of c-gpu-1: the node is idle"});
  world.nodes[1] = {"c-gpu-1", {"cloud", "idle", "drain"}, "slipway: host maintenance, early"};
  CHECK(world.steps() == Texts{});
  world.nodes[1].flags = {"cloud", "idle"};
  world.machines.machines[1].maintenance->can_start = false;
  world.machines.machines[2].maintenance->can_start = false;
  CHECK(world.steps() == Texts{});
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
        Texts{"set down c-gpu-0: its machine was preempted",
              "power down c-gpu-0: its machine was preempted",
              "make a machine for c-gpu-2: a static node without a machine",
              "delete machine c-gpu-5: no node wants this machine",
              "drain c-gpu-1: host maintenance until 2027-01-15 08:01:00Z"});
}

TEST_CASE("reconcile: graces can be shortened") {
  const Graces none = Graces{}.at_most(0);
  CHECK((none.gone | none.orphan | none.silent | none.failed | none.policy) == 0);
  CHECK(Graces{}.at_most(100).gone == 60);
}

TEST_CASE("reconcile: placement policies without machines are left over after half an hour") {
  World world;
  world.machine("c-gpu-0").policies = {"c-gpu-17-0"};
  const Graces graces;
  Situation situation{world.cluster, world.nodes, world.machines, graces, now};
  const Texts policies = {"c-gpu-17-0", "c-gpu-18-0", "other-gpu-18-0", "c-placement"};
  Memory first, second;
  CHECK(unused_policies(situation, policies, first, Memory{}).empty());
  situation.now += graces.policy;
  CHECK(unused_policies(situation, policies, second, first) == Texts{"c-gpu-18-0"});
}

TEST_CASE("reconcile: steps of a kind and reason share a command") {
  const auto commands = slurm_commands({{Step::Kind::down, "a", "slipway: gone"},
                                        {Step::Kind::power_down, "a", "gone"},
                                        {Step::Kind::down, "b", "slipway: gone"},
                                        {Step::Kind::power_down, "b", "gone"},
                                        {Step::Kind::replace, "c", "slipway: new"},
                                        {Step::Kind::remove, "d", "orphan"},
                                        {Step::Kind::power_up, "e", "static"},
                                        {Step::Kind::release, "r", "over"}});
  std::vector<Texts> argvs;
  for (const SlurmCommand& command : commands) argvs.push_back(command.argv);
  const std::string scontrol = "/usr/bin/scontrol";
  CHECK(argvs ==
        std::vector<Texts>{
            {scontrol, "update", "nodename=a,b", "state=down", "reason=slipway: gone"},
            {scontrol, "update", "nodename=a,b", "state=power_down"},
            {scontrol, "update", "nodename=c", "state=power_down_asap", "reason=slipway: new"},
            {scontrol, "update", "nodename=e", "state=power_up"},
            {scontrol, "delete", "reservationname=r"}});
}

TEST_CASE("reconcile: a command has at most 200 nodes") {
  std::vector<Step> steps;
  for (int i = 0; i < 450; ++i) steps.push_back({Step::Kind::power_up, std::to_string(i), "x"});
  const auto commands = slurm_commands(steps);
  REQUIRE(commands.size() == 3);
  CHECK(commands[2].steps.size() == 50);
}

TEST_CASE("reconcile: what is remembered is read back") {
  Memory memory;
  memory.since["gone c-gpu-0"] = now;
  memory.attempts["start c-gpu-0"].add(now);
  memory.templates["t"] = 7;
  memory.reservations = {"r"};
  memory.policies_checked = 8;
  memory.refused_configuration = "d";
  memory.said = {"s"};
  const Memory back = parse_memory(to_json(memory));
  CHECK(to_json(back) == to_json(memory));
  CHECK(back.attempts.at("start c-gpu-0").next == now + 60);
}

TEST_CASE("reconcile: a damaged memory is an error, and begins again") {
  for (const char* text : {"", "{}", "[]", R"({"schema": "other"})",
                           R"({"schema": "slipway/reconcile/1", "since": 7})"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_memory(text), Error);
  }
  CHECK(load_memory("/does/not/exist").since.empty());
}

TEST_CASE("reconcile: the names of nodes are exact") {
  CHECK(parse_node_name("c", "c-gpu-12").number == 12);
  CHECK(parse_node_name("c", "c-gpu-12").nodeset == "gpu");
  for (const char* name : {"c-gpu-012", "c-gpu-", "c--", "c-1", "cc-gpu-1", "c-gpu-1x", "gpu-1",
                           "c-gpu-99999999999", ""}) {
    INFO(name);
    CHECK(parse_node_name("c", name).number == -1);
  }
}
