// Tests of verdicts: the meaning of findings, escalation, and what lasts until the next boot.
#include "launcher/health/judge.h"

#include <nlohmann/json.hpp>

#include "common/file.h"
#include "launcher/health/verdict.h"
#include "tests/unit/catch.h"
#include "tests/unit/health/support.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::health;

namespace {

constexpr std::time_t noon = 1'800'000'000;
constexpr std::time_t hour = 3600;

Finding state(const std::string& kind, const std::string& device = "GPU 1 0000:05:00.0") {
  return {kind, device, "evidence", "gpu_check", 0, false};
}

Finding xid(int number) {
  return {"gpu-xid", "GPU 0000:05:00.0", "Xid " + std::to_string(number), "gpu_xid", number, true};
}

struct TestNode {
  Context context = context_with();
  History history;
  std::time_t now = noon;

  Verdict check(std::vector<Finding> findings, std::map<std::string, std::string> facts = {}) {
    CheckResults seen;
    seen.checks = {"gpu_check"};
    seen.findings = std::move(findings);
    seen.facts = std::move(facts);
    seen.facts["gpu/0000:05:00.0"] = "";
    return judge(seen, context, history, now);
  }
};

}  // namespace

TEST_CASE("judge: the most severe finding decides, and comes first") {
  TestNode node;
  const Verdict verdict =
      node.check({state("gpu-throttled"), state("gpu-remap-failed"), state("gpu-persistence-off")});
  CHECK(verdict.action == Action::replace);
  CHECK_FALSE(verdict.fit());
  CHECK(verdict.findings.at(0).finding.kind == "gpu-remap-failed");
  CHECK(node.check({state("gpu-throttled")}).fit());
  CHECK(node.check({}).action == Action::none);
}

TEST_CASE("judge: an Xid that calls for a drain lasts until the next boot") {
  TestNode node;
  node.history.begin_boot("boot 1");
  CHECK(node.check({xid(79)}).action == Action::reboot);
  const Verdict later = node.check({});
  CHECK(later.action == Action::reboot);
  CHECK(later.findings.at(0).from_before);
  node.history.begin_boot("boot 1");
  CHECK_FALSE(node.check({}).fit());
  node.history.begin_boot("boot 2");
  CHECK(node.check({}).fit());
}

TEST_CASE("judge: an Xid counts if the node has its GPU, or had it since boot") {
  TestNode node;
  Finding elsewhere = xid(79);
  elsewhere.device = "GPU 0000:3b:00.0";
  const Verdict verdict = node.check({elsewhere});
  CHECK(verdict.action == Action::note);
  CHECK(verdict.findings.at(0).finding.kind == "gpu-xid-elsewhere");
  CHECK(verdict.findings.at(0).finding.evidence == "Xid 79 at an address without a GPU");
  CHECK(node.history.open.empty());
  // A GPU that fell off the bus is no longer visible; its Xid reports that.
  node.check({}, {{"gpu/0000:3b:00.0", "3"}});
  const Verdict later = node.check({elsewhere});
  CHECK(later.action == Action::reboot);
  CHECK(later.facts.at("gpu/0000:3b:00.0") == "3");
  CHECK(reason_of(later).starts_with("Xid79 GPU3 0000:3b:00.0: "));
  node.history.begin_boot("boot 1");
  node.history.begin_boot("boot 2");
  CHECK(node.check({elsewhere}).fit());
}

TEST_CASE("judge: findings that programs can cause at will push out no others") {
  TestNode node;
  for (int i = 0; i < 2; ++i) {
    node.check({{"nvlink-down", "GPU 1", "", "gpu_nvlink", 0, true}});
  }
  for (int i = 0; i < 2000; ++i) node.check({xid(31), xid(13), xid(43)});
  CHECK(node.history.events.size() == 500);
  CHECK(node.check({{"nvlink-down", "GPU 1", "", "gpu_nvlink", 0, true}}).action ==
        Action::replace);
}

TEST_CASE("judge: if the driver reports that a GPU needs nothing, its Xids are notes") {
  TestNode node;
  const std::map<std::string, std::string> nothing = {{"recovery/0000:05:00.0", "none"}};
  const Verdict verdict = node.check({xid(79)}, nothing);
  CHECK(verdict.action == Action::note);
  CHECK(verdict.findings.at(0).who == "the driver: no recovery action needed");
  // An open Xid is settled by a later report of the driver.
  CHECK(node.check({xid(79)}).action == Action::reboot);
  CHECK(node.check({}, nothing).fit());
  CHECK(node.check({}).fit());
}

TEST_CASE("judge: the driver's own recovery action decides") {
  TestNode node;
  Finding finding = state("gpu-recovery");
  finding.evidence = "gpu-reset";
  CHECK(node.check({finding}).action == Action::reboot);
  finding.evidence = "drain-p2p";
  CHECK(node.check({finding}).action == Action::drain);
}

TEST_CASE("judge: the same correctable fault, repeated within some hours, escalates") {
  TestNode node;
  for (int i = 0; i < 2; ++i) {
    CHECK(node.check({xid(94)}).fit());
    node.now += hour;
  }
  const Verdict verdict = node.check({xid(94)});
  CHECK(verdict.action == Action::drain);
  CHECK(verdict.findings.at(0).who == "3 times in 24 h");
  CHECK(node.check({xid(63)}).findings.at(0).finding.xid == 94);  // another Xid counts by itself
}

TEST_CASE("judge: events of long ago do not count") {
  TestNode node;
  for (int i = 0; i < 6; ++i) {
    CHECK(node.check({xid(94)}).fit());
    node.now += 13 * hour;
  }
}

TEST_CASE("judge: a state counts when it begins, not at every check") {
  TestNode node;
  for (int i = 0; i < 10; ++i) CHECK(node.check({state("gpu-missing")}).action == Action::reboot);
  for (int i = 0; i < 2; ++i) {
    node.check({});
    node.check({state("gpu-missing")});
  }
  CHECK(node.check({state("gpu-missing")}).action == Action::replace);
}

TEST_CASE("judge: a job's report about a node is a note that stays until the next boot") {
  TestNode node;
  node.history.begin_boot("boot 1");
  const Finding said = {"node-reported", "node", "job 12 blames it", "reports", 0, true};
  CHECK(node.check({said}).action == Action::note);
  Finding again = said;
  again.evidence = "job 13 blames it";
  node.check({again});
  const Verdict later = node.check({});
  CHECK(later.fit());
  REQUIRE(later.findings.size() == 1);
  CHECK(later.findings.at(0).finding.evidence == "job 13 blames it");
  CHECK(later.findings.at(0).from_before);
  node.history.begin_boot("boot 2");
  CHECK(node.check({}).findings.empty());
}

TEST_CASE("judge: the policy can make jobs' reports drain a node, or ignore them") {
  TestNode node;
  const Finding said = {"node-reported", "node", "job 12 blames it", "reports", 0, true};
  node.context = context_with(
      "findings: {node-reported: {action: note, after: {times: 3, hours: 24, action: drain}}}");
  for (int i = 0; i < 2; ++i) CHECK(node.check({said}).fit());
  CHECK_FALSE(node.check({said}).fit());
  TestNode other;
  other.context = context_with("findings: {node-reported: none}");
  CHECK(other.check({said}).action == Action::none);
  CHECK(other.history.open.empty());
}

TEST_CASE("judge: many reports by jobs do not make a node forget its own findings") {
  TestNode node;
  for (int i = 0; i < 4; ++i) node.check({{"gpu-ecc-corrected", "GPU 1", "", "gpu_ecc", 0, true}});
  for (int i = 0; i < 1000; ++i) {
    node.check({{"node-reported", "node", "job 12 blames it", "reports", 0, true}});
  }
  CHECK(node.history.events.size() == 24);
  CHECK_FALSE(node.check({{"gpu-ecc-corrected", "GPU 1", "", "gpu_ecc", 0, true}}).fit());
}

TEST_CASE("judge: clean checks are counted, unless they were incomplete") {
  TestNode node;
  node.check({});
  node.check({state("gpu-throttled")});
  CHECK(node.history.clean_checks == 2);
  CheckResults incomplete;
  incomplete.complete = false;
  judge(incomplete, node.context, node.history, noon);
  CHECK(node.history.clean_checks == 0);
}

TEST_CASE("history: what is saved is read back; a broken file counts as empty") {
  const TemporaryDirectory folder;
  TestNode node;
  node.history.begin_boot("boot 1");
  node.check({xid(79), state("gpu-hot")});
  save_history(folder.path(), node.history);
  History read = load_history(folder.path());
  CHECK(read.boot == "boot 1");
  CHECK(read.open.size() == 1);
  CHECK(read.events.size() == 2);
  CHECK(read.present == node.history.present);
  const std::string broken = GENERATE("", "{", "[]", R"({"schema": "slipway/health-history/1"})");
  write_file(folder / "history.json", broken);
  read = load_history(folder.path());
  CHECK(read.open.empty());
  // A file of a version without GPUs and clean checks is still read.
  write_file(folder / "history.json",
             R"({"schema": "slipway/health-history/1", "boot": "b", "counters": {}, "open": [],)"
             R"( "present": [], "events": [], "good_looks": 1, "comment": ""})");
  CHECK(load_history(folder.path()).boot == "b");
}

TEST_CASE("history: it stays small, and a clock that was set back empties nothing else") {
  TestNode node;
  for (int i = 0; i < 2000; ++i) node.check({xid(13)});
  CHECK(node.history.events.size() == 500);
  node.now = noon - 1000 * hour;
  CHECK(node.check({xid(13)}).fit());
  CHECK(node.history.events.size() == 1);
}

TEST_CASE("history: a boot resets counters, but keeps high-water marks") {
  History history;
  history.begin_boot("a");
  history.counters = {{"kernel_log", 9}, {"memory_kib", 7}, {"nic_speed/eth0", 5}, {"nic_rx", 1}};
  history.begin_boot("b");
  CHECK(history.counters ==
        std::map<std::string, int64_t>{{"memory_kib", 7}, {"nic_speed/eth0", 5}});
}

TEST_CASE("history: counters are kept from a job's start") {
  const TemporaryDirectory folder;
  keep_job(folder.path(), "7", {{"a", 1}});
  CHECK(job_start(folder.path(), "7") == Counters{{"a", 1}});
  CHECK(job_start(folder.path(), "8").empty());
  forget_job(folder.path(), "7");
  CHECK(job_start(folder.path(), "7").empty());
}

TEST_CASE("verdict: a line for people, a reason for repair tools") {
  TestNode node;
  Verdict verdict = node.check({xid(79), state("gpu-throttled")});
  verdict.milliseconds = 12.3;
  CHECK(line_of(verdict) ==
        "node n-0: reboot: gpu_xid GPU 0000:05:00.0: Xid 79 (GPU has fallen off the bus) (and 1 "
        "more); 1 checks, 12 ms");
  // `sinfo -R` shows 20 characters of a reason.
  CHECK(reason_of(verdict) ==
        "Xid79 GPU 0000:05:00.0: GPU has fallen off the bus [node_problem] (slipway health) "
        "Action:Reboot");
  verdict.facts["gpu/0000:05:00.0"] = "1";  // NVML's number of it
  CHECK(reason_of(verdict).substr(0, 20) == "Xid79 GPU1 0000:05:0");
  CHECK(reason_of(TestNode().check({state("gpu-hot")})) ==
        "gpu_check GPU1 0000:05:00.0: evidence [node_problem] (slipway health)");
  CHECK(reason_of(TestNode().check({state("mount-missing", "/home")})) ==
        "gpu_check /home: evidence [node_problem] (slipway health)");
  CHECK(comment_of(verdict) == "slipway health: degraded: gpu_check GPU 1 0000:05:00.0: evidence");
  CHECK(line_of(TestNode().check({})) == "node n-0: healthy; 1 checks, 0 ms");
}

TEST_CASE("verdict: a reason is one line without quotes, whatever the evidence") {
  TestNode node;
  Finding finding = state("gpu-hot");
  finding.evidence = "a\n'b'\"c\"|" + std::string(500, 'x');
  const std::string reason = reason_of(node.check({finding}));
  CHECK(reason.find_first_of("\n'\"|") == std::string::npos);
  CHECK(reason.size() <= 200);
  CHECK(is_own_reason(reason));
}
