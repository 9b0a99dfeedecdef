// Tests of nodes that jobs may not have until their deep checks have passed.
#include "launcher/health/history.h"
#include "tests/unit/catch.h"
#include "tests/unit/health/fake_slurm.h"

using namespace slipway;
using namespace slipway::health;

namespace {

const std::vector<Finding> too_hot = {{"gpu-hot", "GPU 1", "99 °C", "gpu_temperature", 0, false}};
const std::string waits_drain = "drain n-0 deep checks pending (slipway health)";

Looked due_node() {
  Looked node;
  node.context.policy.deep_checks.when = {"boot", "return"};
  node.history.deep_checks_due = true;
  return node;
}

}  // namespace

TEST_CASE("deep checks: are due at the starts that the policy names, until they are noted") {
  const auto due_after = [](const std::vector<std::string>& when, const char* before) {
    History history;
    history.boot = before;
    history.begin_boot("b", DeepChecks{when, 60, 10, 0});
    return history.deep_checks_due;
  };
  CHECK(due_after({"boot"}, "a"));
  CHECK(due_after({"boot"}, ""));
  CHECK(due_after({"new"}, ""));
  CHECK_FALSE(due_after({"new"}, "a"));
  CHECK_FALSE(due_after({"boot", "new"}, "b"));  // the policy came while the node ran
  CHECK_FALSE(due_after({"return"}, "a"));
  CHECK_FALSE(due_after({}, ""));
  History failed_before;
  failed_before.deep_checks_due = true;
  failed_before.boot = "a";
  failed_before.begin_boot("b", DeepChecks{{"new"}, 60, 10, 0});
  CHECK(failed_before.deep_checks_due);
  failed_before.begin_boot("b", DeepChecks{});
  CHECK_FALSE(failed_before.deep_checks_due);
}

TEST_CASE("deep checks: a fit node drains itself while they are due, and stays drained") {
  FakeSlurm slurm = ten_nodes();
  Looked node = due_node();
  CHECK_FALSE(node.act(slurm, {}).job_may_start);
  for (int i = 0; i < 5; ++i) CHECK_FALSE(node.act(slurm, {}).job_may_start);
  CHECK(slurm.calls == Calls{waits_drain});
  CHECK(node.history.deep_checks_due);
}

TEST_CASE("deep checks: in the reservation, only the jobs that check may start") {
  FakeSlurm slurm = ten_nodes();
  slurm.reserved = true;
  Looked node = due_node();
  node.context.stage = Stage::prolog;
  CHECK_FALSE(node.act(slurm, {}).job_may_start);
  CHECK(concerns_slurm(node.verdict, node.history));
  slurm.check_job = true;
  CHECK(node.act(slurm, {}).job_may_start);
  CHECK(slurm.calls.empty());
}

TEST_CASE("deep checks: no job starts while Slurm does not say whether the node is reserved") {
  FakeSlurm slurm = ten_nodes();
  slurm.silent = true;
  Looked node = due_node();
  CHECK_FALSE(node.act(slurm, {}).job_may_start);
}

TEST_CASE("deep checks: a machine that was started for a job is not held back") {
  FakeSlurm slurm = ten_nodes();
  slurm.on_demand = true;
  Looked node = due_node();
  CHECK(node.act(slurm, {}).job_may_start);
  CHECK(slurm.calls.empty());
  CHECK_FALSE(node.history.deep_checks_due);
}

TEST_CASE("deep checks: a drained node that is fit again waits for them, if the policy wants it") {
  const bool wanted = GENERATE(true, false);
  FakeSlurm slurm = ten_nodes();
  Looked node;
  if (wanted) node.context.policy.deep_checks.when = {"return"};
  node.act(slurm, too_hot);
  CHECK(node.history.deep_checks_due == wanted);
  for (int i = 0; i < 3; ++i) node.act(slurm, {});
  CHECK(slurm.calls.size() == 2);
  CHECK(slurm.calls.back() == (wanted ? waits_drain : "resume n-0"));
}

TEST_CASE("deep checks: an unfit node in the reservation is drained without the breaker") {
  FakeSlurm slurm = ten_nodes();
  slurm.reserved = true;
  for (int i = 1; i < 8; ++i) slurm.set(fmt::format("n-{}", i), "drained", ours);
  Looked node = due_node();
  node.context.stage = Stage::deep;
  CHECK_FALSE(node.act(slurm, too_hot).job_may_start);
  const std::string reason =
      "gpu_temperature GPU1: 99 °C [node_problem] (slipway health, deep checks)";
  CHECK(slurm.calls == Calls{"drain n-0 " + reason});
  CHECK(is_own_reason(reason));
  // Quick checks, which may not see the fault, do not lift it.
  node.context.stage = Stage::periodic;
  for (int i = 0; i < 5; ++i) node.act(slurm, {});
  CHECK(slurm.calls.size() == 1);
}

TEST_CASE("deep checks: an unfit node does not pass because Slurm does not answer") {
  FakeSlurm slurm = ten_nodes();
  slurm.silent = true;
  Looked node = due_node();
  node.context.stage = Stage::deep;
  CHECK_FALSE(node.act(slurm, too_hot).job_may_start);
  CHECK(node.act(slurm, {}).job_may_start);
}

TEST_CASE("deep checks: nodes that wait for them or failed them do not count for the breaker") {
  FakeSlurm slurm = ten_nodes();
  for (int i = 1; i < 4; ++i)
    slurm.set(fmt::format("n-{}", i), "drained", std::string(waiting_reason));
  for (int i = 4; i < 8; ++i)
    slurm.set(fmt::format("n-{}", i), "drained", reason_of_deep_checks("pairs: slow"));
  Looked node;
  CHECK_FALSE(node.act(slurm, too_hot).job_may_start);
}

TEST_CASE("deep checks: without a policy that wants them, the next clean checks end the wait") {
  FakeSlurm slurm = ten_nodes();
  slurm.set("n-0", "drained", std::string(waiting_reason));
  Looked node;
  for (int i = 0; i < 2; ++i) node.act(slurm, {});
  CHECK(slurm.calls == Calls{"resume n-0"});
}

TEST_CASE("deep checks: a waiting node with a finding has its reason") {
  FakeSlurm slurm = ten_nodes();
  slurm.set("n-0", "drained", std::string(waiting_reason));
  Looked node = due_node();
  node.act(slurm, too_hot);
  CHECK(slurm.calls ==
        Calls{"drain n-0 gpu_temperature GPU1: 99 °C [node_problem] (slipway health)"});
}

TEST_CASE("slurm: a field of scontrol's lines") {
  const std::string text =
      "ReservationName=x StartTime=2026-11-26T22:32:50 Nodes=n-[0-3,7] NodeCnt=5\n";
  CHECK(field_of(text, "Nodes") == "n-[0-3,7]");
  CHECK(field_of(text, "NodeCnt") == "5");
  CHECK(field_of(text, "Node").empty());
}
