// Tests of the plan for nodes that wait for their deep checks.
#include "launcher/node/admission.h"

#include <fmt/core.h>
#include <stdlib.h>

#include <filesystem>

#include "common/error.h"
#include "launcher/health/verdict.h"
#include "launcher/node/admission_slurm.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::node;
using NodeNames = std::set<std::string>;
using Commands = std::vector<std::string>;

namespace {

constexpr int64_t admission_moment = 1'800'000'000;
const std::string waits_reason(health::waiting_reason);
const std::string failed_reason = health::reason_of_deep_checks("pairs: slow");

AdmittedNode admitted(const std::string& name, const NodeNames& flags,
                      const std::string& reason = "", int64_t since = 0) {
  return {{name, flags, reason}, "gpu", since, false};
}

// A cluster, and the service that runs every 15 s.
struct AdmissionWorld {
  AdmissionView view;
  health::DeepChecks deep{{"boot", "return"}, 60, 10, 0};
  AdmissionMemory memory;

  AdmissionWorld() {
    view.now = admission_moment;
    for (int i = 0; i < 6; ++i) set(i, {"idle"});
  }

  void set(int i, const NodeNames& flags, const std::string& reason = "", int64_t since = 0) {
    const std::string name = fmt::format("n-{}", i);
    std::erase_if(view.nodes, [&](const AdmittedNode& one) { return one.state.node == name; });
    view.nodes.push_back(admitted(name, flags, reason, since));
  }

  // Does what the plan says, as Slurm would.
  AdmissionPlan run() {
    view.now += 15;
    AdmissionPlan plan = plan_admission(view, deep, memory);
    for (const std::string& job : plan.cancelled) view.jobs[job] = "CANCELLED";
    view.reserved = plan.reserved;
    if (plan.reserved.empty()) view.reserved.reset();
    for (const std::string& name : plan.resumed) {
      for (AdmittedNode& one : view.nodes) {
        if (one.state.node == name) one = admitted(name, {"idle", "maintenance", "reserved"});
      }
    }
    for (const NodeCheck& check : plan.checks) {
      const std::string id = std::to_string(++jobs);
      view.jobs[id] = "RUNNING";
      plan.memory.checks[id] = check;
    }
    memory = plan.memory;
    return plan;
  }

  // Runs until a check begins.
  NodeCheck next_check() {
    for (int i = 0; i < 10; ++i) {
      const AdmissionPlan plan = run();
      if (!plan.checks.empty()) return plan.checks.front();
    }
    return {};
  }

  int jobs = 0;
};

}  // namespace

TEST_CASE(
    "admission: a node that waits is reserved, resumed, checked and admitted, in this order") {
  AdmissionWorld world;
  world.set(0, {"idle", "drain"}, waits_reason);
  AdmissionPlan plan = world.run();
  CHECK(plan.reserved == NodeNames{"n-0"});
  CHECK(plan.resumed.empty());
  plan = world.run();
  CHECK(plan.resumed == Commands{"n-0"});
  CHECK(plan.checks.empty());
  const NodeCheck check = world.next_check();
  CHECK(check.nodes == NodeNames{"n-0"});
  CHECK(check.partners == NodeNames{"n-1", "n-2", "n-3"});
  CHECK(world.view.reserved == NodeNames{"n-0", "n-1", "n-2", "n-3"});
  plan = world.run();
  CHECK(plan.checks.empty());
  CHECK(plan.reserved.size() == 4);
  world.view.jobs["1"] = "COMPLETED";
  plan = world.run();
  CHECK(plan.reserved.empty());
  CHECK(plan.memory.checks.empty());
  CHECK(plan.said == Commands{"jobs may have n-[0-3]"});
}

TEST_CASE("admission: a node that did not pass stays reserved, and is checked again later") {
  AdmissionWorld world;
  world.set(0, {"idle", "drain"}, waits_reason);
  world.next_check();
  world.set(0, {"idle", "drain"}, failed_reason, world.view.now);
  world.view.jobs["1"] = "COMPLETED";
  AdmissionPlan plan = world.run();
  CHECK(plan.reserved == NodeNames{"n-0"});
  CHECK(plan.resumed.empty());
  CHECK(plan.said == Commands{"n-0 did not pass: " + failed_reason, "jobs may have n-[1-3]"});
  world.view.now += 3600;
  plan = world.run();
  CHECK(plan.resumed == Commands{"n-0"});
}

TEST_CASE("admission: an administrator who resumes the node has it checked at once") {
  AdmissionWorld world;
  world.set(0, {"idle", "drain"}, "the fan is loud");
  CHECK(world.run().reserved == NodeNames{"n-0"});
  CHECK(world.run().resumed.empty());
  world.set(0, {"idle"});
  CHECK(world.next_check().nodes == NodeNames{"n-0"});
}

TEST_CASE("admission: a job that ends without a result admits nobody, and is repeated") {
  const std::string state = GENERATE("FAILED", "CANCELLED", "NODE_FAIL", "TIMEOUT", "unknown");
  AdmissionWorld world;
  world.set(0, {"down", "not_responding"}, "slipway: the node is off or out of reach");
  world.run();
  world.set(0, {"idle"});
  world.next_check();
  if (state == "unknown") {
    world.view.jobs.clear();
  } else {
    world.view.jobs["1"] = state;
  }
  AdmissionPlan plan = world.run();
  CHECK(plan.reserved == NodeNames{"n-0"});  // the partners serve again
  CHECK(plan.checks.empty());
  world.view.now += 60;
  CHECK(world.next_check().nodes == NodeNames{"n-0"});
}

TEST_CASE("admission: checks without a result wait longer each time, at most the policy's time") {
  AdmissionWorld world;
  world.deep.retry_minutes = 1.5;
  world.set(0, {"idle", "drain"}, waits_reason);
  for (const int64_t wait : {60, 90, 90}) {
    world.next_check();
    world.view.jobs[std::to_string(world.jobs)] = "CANCELLED";
    const AdmissionPlan plan = world.run();
    CHECK(plan.memory.attempts.at("n-0").next == world.view.now + wait);
    CHECK(plan.reserved == NodeNames{"n-0"});
    world.view.now += wait;
  }
}

TEST_CASE("admission: a node that loses power while it is checked is not admitted") {
  AdmissionWorld world;
  world.set(0, {"idle", "drain"}, waits_reason);
  world.next_check();
  world.set(0, {"down", "not_responding"}, "Not responding");
  AdmissionPlan plan = world.run();
  CHECK(plan.reserved.contains("n-0"));
  // Its job ends, with or without a result, while the node is off.
  world.view.jobs["1"] = GENERATE("COMPLETED", "FAILED", "NODE_FAIL");
  plan = world.run();
  CHECK(plan.reserved == NodeNames{"n-0"});
  CHECK(plan.resumed.empty());
  // It is back, and has drained itself, or was already back when it was set down.
  if (GENERATE(true, false)) {
    world.set(0, {"idle", "drain"}, waits_reason);
  } else {
    world.set(0, {"idle"});
  }
  world.view.now += 60;
  CHECK(world.next_check().nodes == NodeNames{"n-0"});
}

TEST_CASE("admission: a node whose drain has changed is not resumed") {
  AdmissionWorld world;
  const NodeNames drained = {"idle", "drain"};
  for (int i = 0; i < 6; ++i) world.set(i, drained, waits_reason, admission_moment);
  const std::vector<AdmittedNode> before = world.view.nodes;
  world.set(1, {"idle", "maintenance"});
  world.set(2, drained, "the fan is loud", admission_moment);
  world.set(3, drained, waits_reason, admission_moment + 1);
  world.set(4, {"down", "drain"}, waits_reason, admission_moment);
  std::erase_if(world.view.nodes, [](const auto& node) { return node.state.node == "n-5"; });
  const Commands names = {"n-0", "n-1", "n-2", "n-3", "n-4", "n-5", "n-6"};
  CHECK(still_drained(names, before, world.view.nodes) == Commands{"n-0"});
}

TEST_CASE("admission: a result counts once") {
  AdmissionWorld world;
  world.set(0, {"idle", "drain"}, waits_reason);
  world.next_check();
  world.view.jobs["1"] = "COMPLETED";
  world.run();
  // The node comes back while Slurm still shows the old job.
  world.set(0, {"idle", "drain"}, "a repair");
  world.run();
  world.set(0, {"idle"});
  CHECK(world.next_check().nodes == NodeNames{"n-0"});
}

TEST_CASE("admission: without memory, unknown jobs are cancelled and nodes checked again") {
  AdmissionWorld world;
  world.set(0, {"idle", "drain"}, waits_reason);
  world.next_check();
  world.memory = {};
  AdmissionPlan plan = world.run();
  CHECK(plan.cancelled == Commands{"1"});
  CHECK(plan.reserved.contains("n-0"));
  CHECK(world.next_check().nodes.contains("n-0"));
}

TEST_CASE("admission: a job that cannot start is cancelled") {
  AdmissionWorld world;
  world.set(0, {"idle", "drain"}, waits_reason);
  world.next_check();
  world.view.jobs["1"] = "PENDING";
  CHECK(world.run().cancelled.empty());
  world.set(0, {"idle", "drain"}, "gpu_ecc GPU5: x [node_problem] (slipway health)");
  const AdmissionPlan plan = world.run();
  CHECK(plan.cancelled == Commands{"1"});
  CHECK(plan.reserved.contains("n-0"));
  CHECK(plan.memory.checks.empty());
}

TEST_CASE("admission: a job that lost a node before it began is repeated, one that began goes on") {
  AdmissionWorld world;
  world.set(0, {"idle", "drain"}, waits_reason);
  world.next_check();
  world.view.unbegun["1"] = 4;
  CHECK(world.run().cancelled.empty());
  const bool has_begun = GENERATE(true, false);
  world.view.unbegun["1"] = 3;
  if (has_begun) world.view.unbegun.clear();
  const AdmissionPlan plan = world.run();
  CHECK(plan.cancelled == (has_begun ? Commands{} : Commands{"1"}));
  CHECK(plan.reserved.contains("n-0"));
  world.view.now += 60;
  if (!has_begun) CHECK(world.next_check().nodes == NodeNames{"n-0"});
}

TEST_CASE("admission: nodes that come together are checked together, without partners") {
  AdmissionWorld world;
  for (int i = 0; i < 4; ++i) world.set(i, {"idle", "drain"}, waits_reason);
  world.run();
  for (int i = 4; i < 6; ++i) world.set(i, {"idle"});
  world.view.reserved->insert("n-4");  // came while the others were resumed
  world.memory.reserved.insert("n-4");
  const NodeCheck check = world.next_check();
  CHECK(check.nodes.size() == 5);
  CHECK(check.partners.empty());
}

TEST_CASE("admission: busy nodes are not borrowed as partners") {
  AdmissionWorld world;
  for (int i = 1; i < 6; ++i) world.set(i, {"allocated"});
  world.set(0, {"idle", "drain"}, waits_reason);
  CHECK(world.next_check().partners.empty());
}

TEST_CASE("admission: always-on machines are reserved before they boot, others are not") {
  AdmissionWorld world;
  world.set(0, {"idle", "cloud", "powered_down"});
  world.set(1, {"idle", "cloud", "powered_down"});
  world.view.nodes.back().on_demand = true;
  CHECK(world.run().reserved == NodeNames{"n-0"});
  world.deep.when = {"return"};
  world.view.reserved.reset();
  CHECK(world.run().reserved.empty());
}

TEST_CASE("admission: a node that is down is not resumed, and `return` can be left out") {
  AdmissionWorld world;
  world.set(0, {"down", "drain"}, waits_reason);
  for (int i = 0; i < 3; ++i) CHECK(world.run().resumed.empty());
  world.set(0, {"idle", "drain", "powering_up"}, waits_reason);
  CHECK(world.run().resumed.empty());
  world.set(1, {"idle", "drain"}, "a repair");
  world.deep.when = {"boot"};
  CHECK(world.run().reserved == NodeNames{"n-0"});
}

TEST_CASE("admission: nodes that left the configuration are not named") {
  AdmissionWorld world;
  world.view.reserved = NodeNames{"gone-1", "n-0"};
  CHECK(world.run().reserved == NodeNames{"n-0"});
}

TEST_CASE("admission: a policy without deep checks ends all of it") {
  AdmissionWorld world;
  world.set(0, {"idle", "drain"}, waits_reason);
  world.next_check();
  world.deep.when.clear();
  const AdmissionPlan plan = world.run();
  CHECK(plan.cancelled == Commands{"1"});
  CHECK(plan.reserved.empty());
}

TEST_CASE("admission: the memory survives its file, and a broken file is an empty memory") {
  std::string folder = "/tmp/slipway-admission.XXXXXX";
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  const std::string file = folder + "/memory.json";
  CHECK(load_admission_memory(file).checks.empty());
  AdmissionMemory memory;
  memory.checks["7"] = {"gpu", {"n-0"}, {"n-1"}, admission_moment};
  memory.attempts["n-2"].add(admission_moment);
  memory.reserved = {"n-0", "n-1"};
  memory.waiting = {"n-0"};
  save_admission_memory(file, memory);
  const AdmissionMemory read = load_admission_memory(file);
  CHECK(read.checks.at("7").nodes == NodeNames{"n-0"});
  CHECK(read.checks.at("7").partners == NodeNames{"n-1"});
  CHECK(read.checks.at("7").submitted == admission_moment);
  CHECK(read.attempts.at("n-2").next == memory.attempts.at("n-2").next);
  CHECK(read.reserved == memory.reserved);
  CHECK(read.waiting == memory.waiting);
  std::filesystem::resize_file(file, 20);
  CHECK(load_admission_memory(file).checks.empty());
  std::filesystem::remove_all(folder);
}

TEST_CASE("admission: what sinfo prints") {
  const auto nodes = parse_admitted_nodes(
      "n-0|IDLE+CLOUD+POWERED_DOWN|Unknown|gpu|none\n"
      "n-1|IDLE+CLOUD+DRAIN|1800000000|zeta|a|b\n"
      "n-1|IDLE+CLOUD+DRAIN|1800000000|gpu|a|b\n"
      "n-2|idle|Unknown|gpu|none\nx\n",
      {"n-1"});
  REQUIRE(nodes.size() == 3);
  CHECK(nodes[0].on_demand);
  CHECK_FALSE(nodes[1].on_demand);
  CHECK(nodes[1].since == admission_moment);
  CHECK(nodes[1].partition == "gpu");
  CHECK(nodes[1].state.reason == "a");
  CHECK_FALSE(nodes[2].on_demand);
}

TEST_CASE("admission: the reservation is created, changed and deleted") {
  const std::string name = "reservationname=slipway-deep-checks";
  CHECK(reservation_command(std::nullopt, {}).empty());
  CHECK(reservation_command(NodeNames{"n-0"}, {"n-0"}).empty());
  CHECK(reservation_command(NodeNames{"n-0"}, {}) == Commands{"/usr/bin/scontrol", "delete", name});
  CHECK(reservation_command(std::nullopt, {"n-0", "n-1"}) ==
        Commands{"/usr/bin/scontrol", "create", "reservation", name, "starttime=now",
                 "duration=UNLIMITED", "users=root", "flags=maint,ignore_jobs", "nodes=n-[0-1]"});
  CHECK(reservation_command(NodeNames{"n-0"}, {"n-1"}) ==
        Commands{"/usr/bin/scontrol", "update", name, "nodes=n-1"});
}

TEST_CASE("admission: what a scan of pairs says") {
  const auto scan = [](const std::string& findings) {
    return fmt::format(R"({{"nodes": [{{}}, {{}}], "findings": [{}]}})", findings);
  };
  const auto verdict =
      judge_scan(scan(R"({"verdict": "node", "nodes": ["n-2"], "evidence": "99 % below"},
              {"verdict": "inconclusive", "nodes": ["n-0"], "evidence": "pairs failed"},
              {"verdict": "inconclusive", "nodes": ["n-9"], "evidence": "pairs failed"},
              {"verdict": "link", "nodes": ["n-1", "n-9"], "evidence": "slow"})"),
                 {"n-0", "n-1"});
  // A node in service is named only by the scan itself.
  CHECK(verdict.slow == std::map<std::string, std::string>{
                            {"n-0", "pairs failed"}, {"n-1", "slow"}, {"n-2", "99 % below"}});
  CHECK(verdict.not_judged.empty());
  CHECK(judge_scan(scan(R"({"verdict": "too noisy", "nodes": [], "evidence": "40 %"})"), {"n-0"})
            .not_judged == "40 %");
  CHECK(judge_scan(scan(""), {"n-0"}).slow.empty());
  // Two nodes, and one of them serves.
  const std::string below = R"({"verdict": "cluster", "nodes": [], "evidence": "30 % of 170"})";
  CHECK(judge_scan(scan(below), {"n-0"}).slow.at("n-0") == "30 % of 170");
  CHECK(judge_scan(scan(below), {"n-0", "n-1"}).not_judged == "30 % of 170");
  CHECK_THROWS_AS(judge_scan("", {}), Error);
  CHECK_THROWS_AS(judge_scan("{}", {}), Error);
}
