// Tests of the actions in Slurm, with a fake Slurm.
#include <fmt/core.h>

#include "tests/unit/catch.h"
#include "tests/unit/health/fake_slurm.h"

using namespace slipway;
using namespace slipway::health;

namespace {

const std::vector<Finding> broken = {{"gpu-hot", "GPU 1", "99 °C", "gpu_temperature", 0, false}};

}  // namespace

TEST_CASE("slurm: an unfit node is drained, once") {
  FakeSlurm slurm = ten_nodes();
  Looked node;
  CHECK_FALSE(node.act(slurm, broken).job_may_start);
  CHECK(slurm.calls ==
        Calls{"drain n-0 gpu_temperature GPU1: 99 °C [node_problem] (slipway health)"});
  CHECK(node.verdict.slurm == "drained");
  CHECK_FALSE(node.act(slurm, broken).job_may_start);
  CHECK(slurm.calls.size() == 1);
}

TEST_CASE("slurm: Slipway resumes a node that it drained after enough clean checks") {
  FakeSlurm slurm = ten_nodes();
  Looked node;
  node.act(slurm, broken);
  node.act(slurm, {});
  CHECK(node.verdict.slurm == "drained by Slipway; 1 of 2 clean checks");
  node.act(slurm, {});
  CHECK(node.verdict.slurm == "resumed");
  CHECK(slurm.calls.back() == "resume n-0");
}

TEST_CASE("slurm: a drain by an older version is ours too") {
  FakeSlurm slurm = ten_nodes();
  slurm.set("n-0", "drained", "slipway health: [node_problem] gpu_ecc GPU 5: x Action:Reboot");
  Looked node;
  for (int i = 0; i < 2; ++i) node.act(slurm, {});
  CHECK(slurm.calls.back() == "resume n-0");
}

TEST_CASE("slurm: a drain by someone else is left alone") {
  FakeSlurm slurm = ten_nodes();
  const std::string reason =
      GENERATE("maintenance", "Prolog error", "none", "not slipway health: x", "x (slipway health)",
               "x [node_problem] (slipway health) [root]");
  slurm.set("n-0", "drained", reason);
  Looked node;
  CHECK_FALSE(node.act(slurm, broken).job_may_start);
  for (int i = 0; i < 5; ++i) node.act(slurm, {});
  CHECK(slurm.calls.empty());
}

TEST_CASE("slurm: the reason is updated if the node needs more than before") {
  FakeSlurm slurm = ten_nodes();
  Looked node;
  node.act(slurm, broken);
  const std::vector<Finding> worse = {{"gpu-wrong-model", "GPU 1", "x", "gpu_identity", 0, false}};
  node.act(slurm, worse);
  CHECK(slurm.calls.back() ==
        "drain n-0 gpu_identity GPU1: x [node_problem] (slipway health) Action:Replace");
}

TEST_CASE(
    "breaker: only so many nodes of a partition are drained; then an alarm, and the job starts") {
  FakeSlurm slurm = ten_nodes();
  slurm.set("n-1", "drained", ours);
  slurm.set("n-2", "draining", ours);
  Looked node;
  CHECK(node.act(slurm, broken).job_may_start);
  CHECK(node.verdict.slurm ==
        "ALARM: not drained: Slipway already drained 2 of 10 nodes in partition gpu within 60 "
        "minutes");
  REQUIRE(slurm.calls.size() == 1);
  CHECK_THAT(slurm.calls[0], ContainsSubstring("comment n-0 slipway health: ALARM: not drained"));
  node.act(slurm, broken);
  CHECK(slurm.calls.size() == 1);  // said once
}

TEST_CASE(
    "breaker: drains by others or of long ago do not count; a larger share raises the limit") {
  FakeSlurm slurm = ten_nodes();
  for (int i = 1; i < 6; ++i) slurm.set(fmt::format("n-{}", i), "drained", "maintenance");
  for (int i = 6; i < 8; ++i) slurm.set(fmt::format("n-{}", i), "drained", ours);
  slurm.lines[6].since = moment - 3601;
  Looked node;
  CHECK_FALSE(node.act(slurm, broken).job_may_start);
  slurm = ten_nodes();
  for (int i = 1; i < 5; ++i) slurm.set(fmt::format("n-{}", i), "drained", ours);
  node.context.policy.breaker.share = 0.5;
  CHECK_FALSE(node.act(slurm, broken).job_may_start);
}

TEST_CASE("breaker: each partition of a node has its own limit") {
  FakeSlurm slurm = ten_nodes();
  slurm.lines.push_back({"n-0", "small", "idle", "none", 0});
  for (const char* name : {"m-1", "m-2"})
    slurm.lines.push_back({name, "small", "drained", ours, moment});
  Looked node;
  CHECK(node.act(slurm, broken).job_may_start);
  CHECK_THAT(node.verdict.slurm, ContainsSubstring("2 of 3 nodes in partition small"));
}

TEST_CASE("breaker: if too many nodes drain themselves at once, the latest undo it") {
  FakeSlurm slurm = ten_nodes();
  // While n-0 drains itself, others do so too; by name they come later, so n-0 stays drained.
  for (int i = 1; i < 4; ++i) {
    slurm.at_the_same_time.push_back({fmt::format("n-{}", i), "gpu", "drained", ours, moment});
  }
  Looked node;
  CHECK_FALSE(node.act(slurm, broken).job_may_start);

  slurm = ten_nodes();
  for (int i = 0; i < 3; ++i) {
    slurm.at_the_same_time.push_back({fmt::format("n-{}", i), "gpu", "drained", ours, moment});
  }
  node.context.profile.node = "n-9";
  CHECK(node.act(slurm, broken).job_may_start);
  CHECK(slurm.calls.at(slurm.calls.size() - 2) == "resume n-9");
}

TEST_CASE("slurm: if Slurm does not answer, nothing is done, and the job starts") {
  FakeSlurm slurm = ten_nodes();
  slurm.silent = true;
  Looked node;
  CHECK(node.act(slurm, broken).job_may_start);
  CHECK(node.verdict.slurm == "nothing done in Slurm: slurmctld does not answer");
  slurm.silent = false;
  slurm.lines.clear();
  CHECK(node.act(slurm, broken).job_may_start);
  CHECK(node.verdict.slurm == "Slurm does not know this node");
}

TEST_CASE("slurm: a degraded node has a comment, which is removed when it is healthy") {
  FakeSlurm slurm = ten_nodes();
  Looked node;
  const std::vector<Finding> hot = {{"gpu-throttled", "GPU 1", "hot", "gpu_throttle", 0, false}};
  node.act(slurm, hot);
  node.act(slurm, hot);
  node.act(slurm, {});
  CHECK(slurm.calls ==
        Calls{"comment n-0 slipway health: degraded: gpu_throttle GPU 1: hot", "comment n-0 "});
}

TEST_CASE("slurm: before and after a job, Slurm is contacted only if the node's state changed") {
  Looked node;
  FakeSlurm slurm = ten_nodes();
  for (const Stage stage : {Stage::prolog, Stage::epilog}) {
    node.context.stage = stage;
    node.act(slurm, {});
    CHECK(!concerns_slurm(node.verdict, node.history));
    node.act(slurm, broken);
    CHECK(concerns_slurm(node.verdict, node.history));
  }
  node.context.stage = Stage::periodic;
  node.act(slurm, {});
  CHECK(concerns_slurm(node.verdict, node.history));
  node.context.stage = Stage::prolog;
  node.act(slurm, {});
  node.history.comment = "slipway health: degraded";
  CHECK(concerns_slurm(node.verdict, node.history));
}

TEST_CASE("slurm: lines of sinfo are parsed, even if the reason contains bars") {
  const auto nodes = parse_nodes("n-0|gpu|idle|Unknown|none\nn-1|gpu|drained|1800000000|a|b\nx\n");
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0].since == 0);
  CHECK(nodes[1].since == moment);
  CHECK(nodes[1].reason == "a|b");
}

TEST_CASE(
    "slurm: slurmctld's own drain after a failed prolog or epilog of ours is lifted like ours") {
  const bool prolog = GENERATE(true, false);
  FakeSlurm slurm = ten_nodes();
  Looked node;
  (prolog ? node.history.prolog_failed : node.history.epilog_failed) = moment - 60;
  slurm.set("n-0", "drained", prolog ? "Prolog error" : "Epilog error");
  node.act(slurm, {});
  CHECK(slurm.calls.empty());
  node.act(slurm, {});
  CHECK(slurm.calls == Calls{"resume n-0"});
}

TEST_CASE("slurm: an epilog error is not attributed to a prolog that we failed") {
  FakeSlurm slurm = ten_nodes();
  Looked node;
  node.history.prolog_failed = moment - 60;
  slurm.set("n-0", "drained", "Epilog error");
  for (int i = 0; i < 3; ++i) node.act(slurm, {});
  CHECK(slurm.calls.empty());
}

TEST_CASE("slurm: a prolog error that is not ours, or came before ours, stays") {
  for (const std::time_t failed : {std::time_t{0}, moment + 1, moment - 3600}) {
    FakeSlurm slurm = ten_nodes();
    Looked node;
    node.history.prolog_failed = failed;
    slurm.set("n-0", "drained", "Prolog error");
    node.act(slurm, {});
    node.act(slurm, {});
    CHECK(slurm.calls.empty());
  }
}

TEST_CASE("slurm: a drain for a job sent twice, or a step that did not end, is lifted after it") {
  FakeSlurm slurm = ten_nodes();
  slurm.set("n-0", "drained",
            GENERATE("Duplicate jobid", "Kill task failed", "SlurmdSpoolDir is full"));
  Looked node;
  node.act(slurm, {});
  CHECK(node.verdict.slurm == "drained by Slurm; 1 of 2 clean checks");
  node.act(slurm, {});
  CHECK(slurm.calls == Calls{"resume n-0"});
}

TEST_CASE("slurm: a drain for a job sent twice, or a step that did not end, stays until then") {
  const std::string state = GENERATE("drained", "draining", "drained*");
  FakeSlurm slurm = ten_nodes();
  slurm.leftovers = state == "drained";  // the job that slurmctld has forgotten
  slurm.set("n-0", state,
            GENERATE("Duplicate jobid", "Kill task failed", "SlurmdSpoolDir is full"));
  Looked node;
  for (int i = 0; i < 5; ++i) node.act(slurm, {});
  CHECK(slurm.calls.empty());
}
