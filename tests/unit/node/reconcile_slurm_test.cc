// Tests of the commands that a plan becomes, of what a run remembers, and of nodes' names.
#include "launcher/node/reconcile_slurm.h"

#include "common/error.h"
#include "launcher/node/reconcile.h"
#include "launcher/node/reconcile_memory.h"
#include "tests/unit/catch.h"
#include "tests/unit/node/reconcile_world.h"

using namespace slipway;
using namespace slipway::node;
using namespace slipway::node::reconcile_tests;

TEST_CASE("reconcile: steps of a kind and reason share a command") {
  const auto commands = slurm_commands({{Step::Kind::down, "a", "slipway: gone"},
                                        {Step::Kind::power_down, "a", "gone"},
                                        {Step::Kind::down, "b", "slipway: gone"},
                                        {Step::Kind::power_down, "b", "gone"},
                                        {Step::Kind::replace, "c", "slipway: new"},
                                        {Step::Kind::remove, "d", "orphan"},
                                        {Step::Kind::power_up, "e", "static"},
                                        {Step::Kind::release, "r", "over"}});
  std::vector<StepTexts> argvs;
  for (const SlurmCommand& command : commands) argvs.push_back(command.argv);
  const std::string scontrol = "/usr/bin/scontrol";
  CHECK(argvs ==
        std::vector<StepTexts>{
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
