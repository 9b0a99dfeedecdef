#include "launcher/job/blame.h"

#include <csignal>

#include "tests/unit/catch.h"
#include "tests/unit/job/shipped_words.h"

using namespace slipway::job;
using Nodes = std::vector<std::string>;

namespace {

Verdict judged(const Evidence& evidence, const std::vector<Verdict>& before) {
  return judge(evidence, before, shipped_words());
}

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

// An earlier failure, of a rank on a node.
Verdict unknown(int64_t rank, const std::string& node, const std::string& message) {
  Verdict verdict;
  verdict.what = "exit";
  verdict.rank = rank;
  verdict.suspect = node;
  verdict.origins = {node};
  verdict.places = 4;
  verdict.message = message;
  verdict.meaning = Meaning::own;
  return verdict;
}

}  // namespace

TEST_CASE("blame: a node that is gone, even if tasks on other nodes failed first") {
  Evidence evidence = with_ends({exited(0, 100, 1, "RuntimeError: Connection reset by peer"),
                                 exited(1, 101, 1, "RuntimeError: Connection reset by peer")});
  evidence.gone = {{"n2", "no heartbeat for 5 s"}};
  const Verdict verdict = judged(evidence, {});
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
  CHECK(judged(evidence, {}).nodes == Nodes{"n2", "n3"});
}

TEST_CASE("blame: the launcher's own node, if it lost contact with all others") {
  Evidence evidence = four_nodes();
  evidence.gone = {{"n1", "x"}, {"n2", "x"}, {"n3", "x"}};
  CHECK(judged(evidence, {}).nodes == Nodes{"n0"});
}

TEST_CASE("blame: of two nodes, the missing one") {
  Evidence evidence = four_nodes();
  evidence.nodes = {"n0", "n1"};
  evidence.gone = {{"n1", "x"}};
  CHECK(judged(evidence, {}).nodes == Nodes{"n1"});
}

TEST_CASE("blame: the node whose GPU has an Xid that a restart does not fix") {
  Evidence evidence = with_ends({exited(1, 10, 1, "CUDA error")});
  evidence.kernel = evidence.broken = {
      {"n1", "NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus."}};
  const Verdict verdict = judged(evidence, {});
  CHECK(verdict.what == "health");
  CHECK(verdict.nodes == Nodes{"n1"});
}

TEST_CASE("blame: nobody for an Xid caused by the program") {
  Evidence evidence = with_ends({exited(1, 10, 1, "CUDA error")});
  evidence.kernel = {{"n1", "NVRM: Xid (PCI:0000:3b:00): 31, pid=1, MMU Fault"}};
  const Verdict verdict = judged(evidence, {});
  CHECK(verdict.blame == Blame::unknown);
  CHECK(verdict.evidence.back() == "n1: kernel: NVRM: Xid (PCI:0000:3b:00): 31, pid=1, MMU Fault");
}

TEST_CASE("blame: the node whose processes cannot be killed") {
  Evidence evidence = with_ends({exited(1, 10, 1, "timeout")});
  evidence.held = {{"n3", "python3 (process 7) cannot be killed"}};
  CHECK(judged(evidence, {}).nodes == Nodes{"n3"});
}

TEST_CASE("blame: an unfit node, even if nothing has failed yet") {
  Evidence evidence = four_nodes();
  evidence.health = {{"n2", "gpu_ecc GPU 5: 2 uncorrectable memory errors (reboot)"}};
  const Verdict verdict = judged(evidence, {});
  CHECK(verdict.what == "health");
  CHECK(verdict.nodes == Nodes{"n2"});
  CHECK(verdict.evidence == Nodes{"n2: gpu_ecc GPU 5: 2 uncorrectable memory errors (reboot)"});
}

TEST_CASE("blame: nobody for what makes most nodes unfit") {
  Evidence evidence = with_ends({exited(1, 10, 1, "CUDA error")});
  for (const char* node : {"n0", "n1", "n3"}) evidence.health.push_back({node, "gpu_driver: old"});
  const Verdict verdict = judged(evidence, {});
  CHECK(verdict.what == "exit");
  CHECK(verdict.blame == Blame::unknown);
  CHECK(verdict.evidence.back() == "n0, n1, n3: most nodes report this: gpu_driver: old");
}

TEST_CASE("blame: many nodes with one reason are a host list on one line") {
  Evidence evidence = four_nodes();
  for (int i = 4; i < 40; ++i) evidence.nodes.push_back("n" + std::to_string(i));
  for (int i = 1; i < 12; ++i) evidence.gone.push_back({"n" + std::to_string(i), "silent"});
  evidence.gone.push_back({"n12", "closed"});
  evidence.gone.push_back({"n13", "closed"});
  const Verdict verdict = judged(evidence, {});
  CHECK(verdict.evidence == Nodes{"n[1-11]: silent", "n12, n13: closed"});
}

TEST_CASE("blame: nobody for a killed task, which is named even if other ends arrived first") {
  const Verdict verdict =
      judged(with_ends({exited(0, 100, 1, "Broken pipe"), killed(2, 900, SIGKILL)}), {});
  CHECK(verdict.what == "signal");
  CHECK(verdict.blame == Blame::unknown);
  CHECK(verdict.nodes.empty());
  CHECK(verdict.rank == 2);
  CHECK(verdict.suspect == "n2");
}

TEST_CASE("blame: a signal long after the first failure is not its cause") {
  CHECK(judged(with_ends({exited(0, 100, 1, "x"), killed(2, 5000, SIGKILL)}), {}).rank == 0);
  CHECK(judged(with_ends({exited(0, 100, 1, "x"), killed(2, 110, SIGABRT)}), {}).rank == 0);
}

TEST_CASE("blame: the application for the same message from the same rank on another node") {
  const Evidence evidence = with_ends({exited(2, 10, 1, "KeyError: 'x' at 0x7fa1")});
  const Verdict verdict = judged(evidence, {unknown(2, "n1", "status 1: KeyError: 'x' at #x#")});
  CHECK(verdict.blame == Blame::application);
  CHECK(verdict.evidence.back() == "rank 2 failed in the same way before, on n1");
}

TEST_CASE("blame: the application again, even where it failed before") {
  const Evidence evidence = with_ends({exited(2, 10, 1, "x")});
  Verdict before = unknown(2, "n2", "status 1: x");
  CHECK(judged(evidence, {before}).blame == Blame::unknown);
  before.blame = Blame::application;
  CHECK(judged(evidence, {before}).blame == Blame::application);
}

TEST_CASE("blame: the application for the same message on any other node") {
  const Evidence evidence = with_ends({exited(2, 10, 1, "no such key")});
  CHECK(judged(evidence, {unknown(0, "n0", "status 1: no such key")}).blame == Blame::application);
}

TEST_CASE("blame: nobody for two signals of different ranks") {
  Verdict before = unknown(0, "n0", "signal 9");
  before.what = "signal";
  CHECK(judged(with_ends({killed(2, 10, SIGKILL)}), {before}).blame == Blame::unknown);
  before.rank = 2;
  CHECK(judged(with_ends({killed(2, 10, SIGKILL)}), {before}).blame == Blame::application);
}

TEST_CASE("blame: nobody for errors about lost connections, however many") {
  const Evidence evidence = with_ends({exited(2, 10, 1, "Connection reset by peer")});
  Verdict first = judged(evidence, {});
  CHECK(first.suspect.empty());
  CHECK(judged(evidence, {first, first, first}).blame == Blame::unknown);
}

TEST_CASE("blame: the node where failures began more often than chance explains") {
  const std::vector<Verdict> before = {unknown(3, "n2", "status 1: a"),
                                       unknown(1, "n2", "status 1: b")};
  Evidence evidence = with_ends({exited(2, 10, 1, "c")});
  // On four nodes, 1 in 16 programs fails on the same node three times in a row.
  Verdict verdict = judged(evidence, before);
  CHECK(verdict.blame == Blame::unknown);
  CHECK(verdict.times == 3);
  CHECK(verdict.evidence.back() ==
        "the last 3 failures began on n2, with different ranks: 1 in 16 by chance");
  // Five more would be proof, so they are tried; with two nodes, they would prove nothing.
  CHECK(verdict.undecided);
  std::vector<Verdict> of_two = before;
  for (Verdict& each : of_two) each.places = 2;
  evidence.nodes = {"n1", "n2"};
  CHECK_FALSE(judged(evidence, of_two).undecided);
  evidence.nodes = four_nodes().nodes;
  std::vector<Verdict> of_many = before;
  for (Verdict& each : of_many) each.places = 200;
  for (int i = 4; i < 200; ++i) evidence.nodes.push_back("n" + std::to_string(i));
  CHECK(judged(evidence, {of_many[1]}).blame == Blame::unknown);
  CHECK(judged(evidence, of_many).nodes == Nodes{"n2"});
}

TEST_CASE("blame: no node for failures whose output shows a program error, however many") {
  Evidence evidence = with_ends({exited(2, 10, 1, "TypeError: a")});
  for (int i = 4; i < 200; ++i) evidence.nodes.push_back("n" + std::to_string(i));
  std::vector<Verdict> before = {unknown(3, "n2", "status 1: b"), unknown(1, "n2", "status 1: c")};
  for (Verdict& each : before) each.places = 200;
  CHECK(judged(evidence, before).blame == Blame::unknown);
}

TEST_CASE("blame: failures that stay with one GPU of a node need fewer repeats") {
  const auto on_gpu = [](int64_t gpu) {
    Evidence evidence = four_nodes();
    evidence.tasks_per_node = 8;
    evidence.ends = {{16 + gpu, "n2", 1, 0, 10,
                      "RuntimeError: CUDA error: an illegal memory access was encountered"}};
    return evidence;
  };
  const Verdict first = judged(on_gpu(5), {});
  CHECK(first.slot == 5);
  Verdict moved = first;
  moved.rank = 13;  // the node has moved on by one place
  Verdict again = first;
  again.rank = 5;
  CHECK(judged(on_gpu(5), {again, moved}).nodes == Nodes{"n2"});
  CHECK(judged(on_gpu(3), {again, moved}).blame == Blame::unknown);
  // The first GPU of a node has more to do than the others.
  Verdict leader = again, moved_leader = moved;
  leader.slot = moved_leader.slot = 0;
  leader.rank = 0;
  moved_leader.rank = 8;
  CHECK(judged(on_gpu(0), {leader, moved_leader}).blame == Blame::unknown);
}

TEST_CASE("blame: the application if most ranks on several nodes print the same") {
  const std::string words =
      "Traceback (most recent call last):\n  File \"t.py\", line 1\nKeyError: ";
  Evidence evidence = with_ends({exited(1, 10, 1, words + "'a'"), exited(0, 300, 1, words + "'b'"),
                                 exited(3, 350, 1, "Connection reset by peer")});
  Verdict verdict = judged(evidence, {});
  CHECK(verdict.blame == Blame::application);
  CHECK_FALSE(verdict.permanent);
  CHECK(verdict.evidence == Nodes{"rank 1 on n1 exited with status 1: KeyError: 'a'",
                                  "2 of 4 ranks failed the same way"});
  // Another such failure ends it, unless the program got further in between.
  const Verdict first = verdict;
  CHECK(judged(evidence, {first}).permanent);
  evidence.progressed = true;
  CHECK_FALSE(judged(evidence, {first}).permanent);
}

TEST_CASE("blame: nobody if the ranks that print the same were not first") {
  const std::string lost = "RuntimeError: a friend has left";  // no pattern knows that
  const Evidence evidence =
      with_ends({exited(2, 10, 1, "OSError: [Errno 5] Input/output error: '/local/x'"),
                 exited(0, 20, 1, lost), exited(1, 21, 1, lost), exited(3, 22, 1, lost)});
  const Verdict verdict = judged(evidence, {});
  CHECK(verdict.blame == Blame::unknown);
  CHECK(verdict.suspect == "n2");
}

TEST_CASE("blame: the application if all ranks end without output and with the same status") {
  std::vector<RankEnd> ends;
  for (int64_t rank : {2, 0, 1, 3}) ends.push_back(exited(rank, 10 + rank, 3, ""));
  CHECK(judged(with_ends(ends), {}).blame == Blame::application);
  ends.pop_back();
  const Verdict verdict = judged(with_ends(ends), {});
  CHECK(verdict.blame == Blame::unknown);
  CHECK(verdict.suspect.empty());
}

TEST_CASE("blame: the node whose task reports broken hardware, at once") {
  const std::string words = "RuntimeError: CUDA error: uncorrectable ECC error encountered\n";
  Evidence evidence = with_ends({exited(0, 10, 1, "Connection reset by peer"),
                                 exited(2, 900, 1, words), exited(3, 20, 1, "Broken pipe")});
  const Verdict verdict = judged(evidence, {});
  CHECK(verdict.what == "task report");
  CHECK(verdict.nodes == Nodes{"n2"});
  CHECK(verdict.accusations.size() == 1);
  // The rank reports it wherever it runs.
  Evidence moved = with_ends({{2, "n1", 1, 0, 10, words}});
  CHECK(judged(moved, {verdict}).blame != Blame::node);
  // What all ranks report is not one node's fault.
  evidence.ends.push_back(exited(1, 30, 1, words));
  CHECK(judged(evidence, {}).blame != Blame::node);
  // It had reported this when its agent stopped it.
  evidence = with_ends({exited(0, 10, 1, "Watchdog caught collective operation timeout")});
  evidence.stopped = {exited(2, 900, 1, words)};
  CHECK(judged(evidence, {}).nodes == Nodes{"n2"});
}

TEST_CASE("blame: a program on one node that fails the same way twice") {
  Evidence evidence = four_nodes();
  evidence.nodes = {"n0"};
  evidence.ends = {exited(0, 10, 1, "x")};
  CHECK(judged(evidence, {judged(evidence, {})}).blame == Blame::application);
}

TEST_CASE("blame: a node's failure proves nothing about the next failure") {
  Evidence gone = with_ends({exited(2, 10, 1, "x")});
  gone.gone = {{"n1", "x"}};
  const Evidence evidence = with_ends({exited(2, 10, 1, "x")});
  CHECK(judged(evidence, {judged(gone, {})}).blame == Blame::unknown);
}

TEST_CASE("blame: statuses that make another attempt pointless") {
  for (const int code : {93, 126, 127}) {
    const Verdict verdict = judged(with_ends({exited(1, 10, code, "x")}), {});
    CHECK(verdict.blame == Blame::application);
    CHECK(verdict.permanent);
  }
  CHECK_FALSE(judged(with_ends({exited(1, 10, 1, "x")}), {}).permanent);
}

TEST_CASE("blame: without progress, the slowest node becomes the suspect") {
  Evidence evidence = four_nodes();
  evidence.stalled_seconds = 60;
  evidence.steps = {{"n0", 8}, {"n1", 7}, {"n2", 8}, {"n3", 8}};
  Verdict verdict = judged(evidence, {});
  CHECK(verdict.what == "no progress");
  CHECK(verdict.blame == Blame::unknown);
  CHECK(verdict.suspect == "n1");
  CHECK(verdict.evidence == Nodes{"no progress for 60 s", "n1 is behind, at step 7"});
  evidence.steps["n2"] = 7;
  CHECK(judged(evidence, {}).suspect.empty());
  evidence.odd = {{"n3", "python3 (process 12) is stopped"}};
  evidence.ras = "NCCL's RAS: rank 1 of 2 is dead (process 7 on n1)";
  verdict = judged(evidence, {});
  CHECK(verdict.suspect == "n3");  // what anybody could say there proves nothing
  CHECK(verdict.blame == Blame::unknown);
  CHECK(verdict.evidence.at(1) == evidence.ras);
}

TEST_CASE(
    "blame: root gets reports of blamed nodes that are still up, without the programs' output") {
  const auto accused = [](const Evidence& evidence, const std::vector<Verdict>& before = {}) {
    Nodes all;
    for (const Accusation& each : judged(evidence, before).accusations) {
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
  Evidence many = with_ends({exited(2, 10, 1, "c")});
  for (int i = 4; i < 200; ++i) many.nodes.push_back("n" + std::to_string(i));
  Verdict first = unknown(3, "n2", "status 1: a"), second = unknown(1, "n2", "status 1: b");
  first.places = second.places = 200;
  CHECK(accused(many, {first, second}) == Nodes{"n2 failures "});
  evidence = four_nodes();
  evidence.gone = {{"n2", "no heartbeat for 5 s"}};
  CHECK(accused(evidence).empty());
  CHECK(accused(with_ends({exited(2, 10, 1, "c")})).empty());
}
