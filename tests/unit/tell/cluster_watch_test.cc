// Tests of finding what is new on the cluster.
#include "launcher/tell/cluster_watch.h"

#include <fmt/core.h>

#include "common/file.h"
#include "common/text.h"
#include "launcher/tell/spares.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway::tell;

namespace {

constexpr const char* xid =
    "Xid79 GPU3 0000:07:00.0: GPU has fallen off the bus [node_problem] (slipway health)";

ClusterState state_of(const std::string& nodes, const std::string& jobs = "") {
  ClusterState state;
  state.nodes = slipway::health::parse_nodes(nodes);
  std::string marked;
  for (const std::string& line : slipway::split(jobs, '\n'))
    if (!line.empty()) marked += "M|" + line + "|\n";  // no job has a comment
  state.jobs = parse_jobs(marked, "M|");
  return state;
}

std::string lines_of(const std::vector<Message>& messages) {
  std::string text;
  for (const Message& message : messages) text += message.event + ": " + line_of(message) + "\n";
  return text;
}

}  // namespace

TEST_CASE("tell: a drain is news once, with the reason that Slurm has, in every partition") {
  Known known;
  CHECK(news(state_of("n1|a|idle|Unknown|none\n"), "c", 2, known).empty());
  const ClusterState drained =
      state_of(fmt::format("n1|a|drained|1|{0}\nn1|b|drained|1|{0}\n", xid));
  CHECK(lines_of(news(drained, "c", 2, known)) ==
        fmt::format("drain: slipway: c: n1 drained: {}\n", xid));
  CHECK(news(drained, "c", 2, known).empty());
  CHECK(news(state_of("n1|a|idle|1|none\n"), "c", 2, known).empty());
  CHECK(news(drained, "c", 2, known).size() == 1);  // drained again
}

TEST_CASE("tell: a drain whose reason now calls for more is news again") {
  Known known;
  news(state_of("n1|a|idle|1|none\n"), "c", 2, known);
  news(state_of("n1|a|draining|1|bad link\n"), "c", 2, known);
  CHECK(lines_of(news(state_of("n1|a|drained|1|bad link Action:Reboot\n"), "c", 2, known)) ==
        "drain: slipway: c: n1 drained: bad link Action:Reboot\n");
}

TEST_CASE("tell: what was so before the first reading is old") {
  Known known;
  CHECK(news(state_of("n1|a|drained|1|old\n", "7|FAILED|me|8\n"), "c", 2, known).empty());
  CHECK(news(state_of("n1|a|drained|1|old\n", "7|FAILED|me|8\n"), "c", 2, known).empty());
}

TEST_CASE("tell: a node that Slurm powers down is not drained; a node that is down is") {
  Known known;
  news(state_of(""), "c", 2, known);
  CHECK(lines_of(news(state_of("n1|a|idle~|1|none\nn2|a|down*|1|Not responding\n"), "c", 2,
                      known)) == "drain: slipway: c: n2 drained: Not responding\n");
}

TEST_CASE("tell: a node that the breaker kept in service") {
  Known known;
  news(state_of(""), "c", 2, known);
  ClusterState state;
  state.comments = parse_comments(
      fmt::format("{:<160}{:<1024}\n{:<160}{:<1024}\n{:<160}{:<1024}\n", "n1", "(null)", "n2",
                  "slipway health: ALARM: not drained: Slipway already drained 2 of 4 nodes in "
                  "partition a within 60 minutes: disk / full",
                  "n3", "rack 7"));
  CHECK(lines_of(news(state, "c", 2, known)) ==
        "breaker: slipway: c: n2: ALARM: not drained: Slipway already drained 2 of 4 "
        "nodes in partition a within 60 minutes: disk / full\n");
}

TEST_CASE("tell: failed jobs of at least so many nodes") {
  Known known;
  news(state_of(""), "c", 2, known);
  CHECK(lines_of(news(state_of("", "7|FAILED|me|8\n8|FAILED|me|1\n9|NODE_FAIL|you|4\n"), "c", 2,
                      known)) ==
        "job-failure: slipway: c: job 7 failed: its script failed, on 8 nodes, of user me\n"
        "job-failure: slipway: c: job 9 failed: it lost a node, on 4 nodes, of user you\n");
}

TEST_CASE("tell: a job that has no spare left is news once, by a note in its comment") {
  const std::string note = with_spares_note("", 2);
  CHECK(note == "slipway launch: no spare node is left, 2 blamed");
  const std::string again = with_spares_note("our run; " + note, 3);
  CHECK(again == "our run; slipway launch: no spare node is left, 3 blamed");
  CHECK(blamed_in(again) == 3);
  CHECK_FALSE(blamed_in(again + " or not"));
  Known known;
  news(state_of(""), "c", 2, known);
  ClusterState shortage;
  shortage.jobs = parse_jobs(
      fmt::format("M7|RUNNING|me|8|a|b; {0}\nM8|RUNNING|me|1|{0}\nM9|RUNNING|me|8|x\n", note), "M");
  CHECK(lines_of(news(shortage, "c", 2, known)) ==
        "spares: slipway: c: job 7 has no spare node: 2 nodes blamed so far, on 8 nodes, of user "
        "me\n");
  CHECK(news(shortage, "c", 2, known).empty());
}

TEST_CASE("tell: a comment with line ends makes no lines of its own") {
  const ToldJobs jobs = parse_jobs("M7|RUNNING|me|8|x\n9|FAILED|root|64|\n", "M");
  CHECK(jobs.failed.empty());
  CHECK(jobs.short_of_spares.empty());
}

TEST_CASE("tell: a file keeps what was sent; a broken one is like none") {
  const TemporaryDirectory folder;
  Memory memory;
  news(state_of("", "7|FAILED|me|8\n"), "c", 2, memory.known);
  memory.known.drained["n1"] = "caf\xe9";  // not UTF-8
  memory.sent = {{1, 2}, {{"drain", 5}}, 9};
  save_memory(folder / "tell.json", memory);
  const Memory again = load_memory(folder / "tell.json");
  CHECK(!again.known.is_first);
  CHECK(again.known.failed_jobs == std::set<std::string>{"7"});
  CHECK(again.sent.left_out.at("drain") == 5);
  slipway::write_file(folder / "tell.json", "{\"drained\": []}");
  CHECK(load_memory(folder / "tell.json").known.is_first);
  slipway::write_file(folder / "tell.json", "half of it");
  CHECK(load_memory(folder / "tell.json").known.is_first);
}
