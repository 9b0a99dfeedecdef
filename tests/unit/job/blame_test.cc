#include "launcher/job/blame.h"

#include <csignal>

#include "tests/unit/catch.h"

using namespace slipway::job;
using Nodes = std::vector<std::string>;

namespace {

Evidence four_nodes() {
  Evidence evidence;
  evidence.nodes = {"n0", "n1", "n2", "n3"};
  evidence.launcher_node = "n0";
  return evidence;
}

RankEnd exited(int64_t rank, int64_t after_ms, int code, const std::string& words) {
  return {rank, "n" + std::to_string(rank), code, 0, after_ms, words};
}

RankEnd killed(int64_t rank, int64_t after_ms, int signal) {
  return {rank, "n" + std::to_string(rank), 0, signal, after_ms, ""};
}

Evidence with_ends(std::vector<RankEnd> ends) {
  Evidence evidence = four_nodes();
  evidence.ends = std::move(ends);
  return evidence;
}

// A failure before, of a rank on a node.
Verdict unknown(int64_t rank, const std::string& node, const std::string& message) {
  Verdict verdict;
  verdict.what = "exit";
  verdict.rank = rank;
  verdict.suspect = node;
  verdict.message = message;
  return verdict;
}

}  // namespace

TEST_CASE("blame: a node that is gone, though the tasks of others were first to fail") {
  Evidence evidence = with_ends({exited(0, 100, 1, "RuntimeError: Connection reset by peer"),
                                 exited(1, 101, 1, "RuntimeError: Connection reset by peer")});
  evidence.gone = {{"n2", "no heartbeat for 5 s"}};
  const Verdict verdict = judge(evidence, {});
  CHECK(verdict.what == "node gone");
  CHECK(verdict.blame == Blame::node);
  CHECK(verdict.nodes == Nodes{"n2"});
  CHECK(verdict.evidence == Nodes{"rank 0 on n0 exited with status 1: RuntimeError: Connection "
                                  "reset by peer",
                                  "n2: no heartbeat for 5 s"});
}

TEST_CASE("blame: all nodes that are gone") {
  Evidence evidence = four_nodes();
  evidence.gone = {{"n2", "x"}, {"n3", "x"}};
  CHECK(judge(evidence, {}).nodes == Nodes{"n2", "n3"});
}

TEST_CASE("blame: the launcher's own node, when all others are gone from its view") {
  Evidence evidence = four_nodes();
  evidence.gone = {{"n1", "x"}, {"n2", "x"}, {"n3", "x"}};
  CHECK(judge(evidence, {}).nodes == Nodes{"n0"});
}

TEST_CASE("blame: of two nodes the one that is gone") {
  Evidence evidence = four_nodes();
  evidence.nodes = {"n0", "n1"};
  evidence.gone = {{"n1", "x"}};
  CHECK(judge(evidence, {}).nodes == Nodes{"n1"});
}

TEST_CASE("blame: the node whose GPU has an Xid that a new start does not mend") {
  Evidence evidence = with_ends({exited(1, 10, 1, "CUDA error")});
  evidence.kernel = evidence.broken = {
      {"n1", "NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus."}};
  const Verdict verdict = judge(evidence, {});
  CHECK(verdict.what == "health");
  CHECK(verdict.nodes == Nodes{"n1"});
}

TEST_CASE("blame: nobody for an Xid of the program") {
  Evidence evidence = with_ends({exited(1, 10, 1, "CUDA error")});
  evidence.kernel = {{"n1", "NVRM: Xid (PCI:0000:3b:00): 31, pid=1, MMU Fault"}};
  const Verdict verdict = judge(evidence, {});
  CHECK(verdict.blame == Blame::unknown);
  CHECK(verdict.evidence.back() == "n1: kernel: NVRM: Xid (PCI:0000:3b:00): 31, pid=1, MMU Fault");
}

TEST_CASE("blame: the node whose processes cannot be killed") {
  Evidence evidence = with_ends({exited(1, 10, 1, "timeout")});
  evidence.held = {{"n3", "python3 (process 7) cannot be killed"}};
  CHECK(judge(evidence, {}).nodes == Nodes{"n3"});
}

TEST_CASE("blame: the node that is unfit, though nothing has failed yet") {
  Evidence evidence = four_nodes();
  evidence.health = {{"n2", "gpu_ecc GPU 5: 2 memory errors that cannot be corrected (reboot)"}};
  const Verdict verdict = judge(evidence, {});
  CHECK(verdict.what == "health");
  CHECK(verdict.nodes == Nodes{"n2"});
  CHECK(verdict.evidence ==
        Nodes{"n2: gpu_ecc GPU 5: 2 memory errors that cannot be corrected (reboot)"});
}

TEST_CASE("blame: nobody for what makes most nodes unfit") {
  Evidence evidence = with_ends({exited(1, 10, 1, "CUDA error")});
  for (const char* node : {"n0", "n1", "n3"}) evidence.health.push_back({node, "gpu_driver: old"});
  const Verdict verdict = judge(evidence, {});
  CHECK(verdict.what == "exit");
  CHECK(verdict.blame == Blame::unknown);
  CHECK(verdict.evidence.back() == "n3: and most others: gpu_driver: old");
}

TEST_CASE("blame: nobody for a task that was killed, who is named though others were heard first") {
  const Verdict verdict =
      judge(with_ends({exited(0, 100, 1, "Broken pipe"), killed(2, 900, SIGKILL)}), {});
  CHECK(verdict.what == "signal");
  CHECK(verdict.blame == Blame::unknown);
  CHECK(verdict.nodes.empty());
  CHECK(verdict.rank == 2);
  CHECK(verdict.suspect == "n2");
}

TEST_CASE("blame: a signal long after the first failure is none of its causes") {
  CHECK(judge(with_ends({exited(0, 100, 1, "x"), killed(2, 5000, SIGKILL)}), {}).rank == 0);
  CHECK(judge(with_ends({exited(0, 100, 1, "x"), killed(2, 110, SIGABRT)}), {}).rank == 0);
}

TEST_CASE("blame: the application for the same message of the same rank on another node") {
  const Evidence evidence = with_ends({exited(2, 10, 1, "KeyError: 'x' at 0x7fa1")});
  const Verdict verdict = judge(evidence, {unknown(2, "n1", "status 1: KeyError: 'x' at #x#")});
  CHECK(verdict.blame == Blame::application);
  CHECK(verdict.evidence.back() == "rank 2 failed in the same way before, on n1");
}

TEST_CASE("blame: the application once more, also where it failed before") {
  const Evidence evidence = with_ends({exited(2, 10, 1, "x")});
  Verdict before = unknown(2, "n2", "status 1: x");
  CHECK(judge(evidence, {before}).blame == Blame::unknown);
  before.blame = Blame::application;
  CHECK(judge(evidence, {before}).blame == Blame::application);
}

TEST_CASE("blame: the application for the same message anywhere else") {
  const Evidence evidence = with_ends({exited(2, 10, 1, "no such key")});
  CHECK(judge(evidence, {unknown(0, "n0", "status 1: no such key")}).blame == Blame::application);
}

TEST_CASE("blame: nobody for two signals of different ranks") {
  Verdict before = unknown(0, "n0", "signal 9");
  before.what = "signal";
  CHECK(judge(with_ends({killed(2, 10, SIGKILL)}), {before}).blame == Blame::unknown);
  before.rank = 2;
  CHECK(judge(with_ends({killed(2, 10, SIGKILL)}), {before}).blame == Blame::application);
}

TEST_CASE("blame: nobody for what is said of a lost connection, however often") {
  const Evidence evidence = with_ends({exited(2, 10, 1, "Connection reset by peer")});
  Verdict first = judge(evidence, {});
  CHECK(first.suspect.empty());
  CHECK(judge(evidence, {first, first, first}).blame == Blame::unknown);
}

TEST_CASE("blame: the node where three failures began, with other ranks") {
  const std::vector<Verdict> before = {unknown(3, "n2", "status 1: a"),
                                       unknown(1, "n2", "status 1: b")};
  const Evidence evidence = with_ends({exited(2, 10, 1, "c")});
  CHECK(judge(evidence, {before[1]}).blame == Blame::unknown);
  CHECK(judge(evidence, before).nodes == Nodes{"n2"});
}

TEST_CASE("blame: a program on one node that fails in the same way twice") {
  Evidence evidence = four_nodes();
  evidence.nodes = {"n0"};
  evidence.ends = {exited(0, 10, 1, "x")};
  CHECK(judge(evidence, {judge(evidence, {})}).blame == Blame::application);
}

TEST_CASE("blame: a failure of a node says nothing about the next") {
  Evidence gone = with_ends({exited(2, 10, 1, "x")});
  gone.gone = {{"n1", "x"}};
  const Evidence evidence = with_ends({exited(2, 10, 1, "x")});
  CHECK(judge(evidence, {judge(gone, {})}).blame == Blame::unknown);
}

TEST_CASE("blame: statuses that say that no attempt can do better") {
  for (const int code : {93, 126, 127}) {
    const Verdict verdict = judge(with_ends({exited(1, 10, code, "x")}), {});
    CHECK(verdict.blame == Blame::application);
    CHECK(verdict.for_ever);
  }
  CHECK_FALSE(judge(with_ends({exited(1, 10, 1, "x")}), {}).for_ever);
}

TEST_CASE("blame: without progress, the one node that is behind is suspected") {
  Evidence evidence = four_nodes();
  evidence.stalled_seconds = 60;
  evidence.steps = {{"n0", 8}, {"n1", 7}, {"n2", 8}, {"n3", 8}};
  Verdict verdict = judge(evidence, {});
  CHECK(verdict.what == "no progress");
  CHECK(verdict.blame == Blame::unknown);
  CHECK(verdict.suspect == "n1");
  CHECK(verdict.evidence == Nodes{"no progress for 60 s", "n1 is behind, at step 7"});
  evidence.steps["n2"] = 7;
  CHECK(judge(evidence, {}).suspect.empty());
  evidence.odd = {{"n3", "python3 (process 12) is stopped"}};
  verdict = judge(evidence, {});
  CHECK(verdict.suspect == "n3");
  CHECK(verdict.blame == Blame::unknown);
}

TEST_CASE("blame: root is told of blamed nodes that are there, without words of programs") {
  const auto accused = [](const Evidence& evidence, const std::vector<Verdict>& before = {}) {
    Nodes all;
    for (const Accusation& each : judge(evidence, before).accusations) {
      all.push_back(each.node + " " + std::string(name_of(each.cause)) + " " + each.detail);
    }
    return all;
  };
  Evidence evidence = four_nodes();
  evidence.broken = {{"n1", "NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=secret"},
                     {"n1", "NVRM: Xid (PCI:0000:3c:00): 48, pid=1, name=secret"}};
  CHECK(accused(evidence) == Nodes{"n1 xid 79"});
  evidence = four_nodes();
  evidence.held = {{"n3", "secret (process 7) cannot be killed"}};
  CHECK(accused(evidence) == Nodes{"n3 held "});
  evidence = four_nodes();
  evidence.health = {{"n2", "gpu_ecc GPU 5: 2 memory errors (reboot)"}};
  CHECK(accused(evidence) == Nodes{"n2 unfit gpu_ecc"});
  evidence.health = {{"n2", "gpu gpu: nvmlInit took longer than 2.0 s (reboot)"}};
  CHECK(accused(evidence) == Nodes{"n2 unfit gpu"});
  CHECK(accused(with_ends({exited(2, 10, 1, "c")}),
                {unknown(3, "n2", "status 1: a"), unknown(1, "n2", "status 1: b")}) ==
        Nodes{"n2 failures "});
  evidence = four_nodes();
  evidence.gone = {{"n2", "no heartbeat for 5 s"}};
  CHECK(accused(evidence).empty());
  CHECK(accused(with_ends({exited(2, 10, 1, "c")})).empty());
}

TEST_CASE("blame: a message without its numbers, from the last line that says something") {
  CHECK(message_of("a\nMemory at 0x7f12ab, step 512\n\n") == "Memory at #x#, step #");
  CHECK(message_of("") == "");
  const std::string rule = std::string(74, '-') + "\n";
  CHECK(message_of("before\n" + rule + "Rank 1 has had enough\nof it.\n" + rule) ==
        "Rank # has had enough");
  CHECK(message_of("Rank 1 has had enough\nof it.\n" + rule) == "Rank # has had enough");
  CHECK(message_of(rule) == "");
}
