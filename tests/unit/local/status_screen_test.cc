#include "launcher/local/status_screen.h"

#include <fmt/core.h>

#include "common/text.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::local;

namespace {

// A cluster of idle compute nodes and its controller.
DeploymentView cluster_of(int compute_nodes) {
  DeploymentView view{DeploymentFolder("/x", "q"), "q", "running", {}, {}};
  view.nodes.push_back({"q-controller", "controller", "", "", true, ""});
  for (int i = 0; i < compute_nodes; ++i) {
    view.nodes.push_back({fmt::format("q-a-{}", i), "compute", "", "", true, "idle"});
    view.nodes.back().partitions = {"a3"};
  }
  return view;
}

std::string drawn(const DeploymentView& view, const Screen& screen) {
  return join(draw_status(view, screen, "12:00:00Z"), "\n") + "\n";
}

}  // namespace

TEST_CASE("status screen: four nodes have one line each, with faults and reasons") {
  DeploymentView view = cluster_of(4);
  view.nodes[2].slurm_state = "down*";
  view.nodes[2].running = false;
  view.nodes[2].reason = "Not responding";
  view.nodes[2].faults = {"power-off"};
  view.nodes[4].slurm_state = "idle~";
  view.nodes[4].running = false;
  view.jobs = {{"7", "train", "RUNNING", 2, "q-a-[0,2]"}};
  CHECK(drawn(view, {80, 24, false}) ==
        "q: running  5 nodes  1 down  1 job  12:00:00Z\n"
        "\n"
        "NODE          ROLE        POWER  STATE  FAULTS AND REASON\n"
        "q-controller  controller  on     on     \n"
        "q-a-0         compute     on     idle   \n"
        "q-a-1         compute     off    down*  fault: power-off; Not responding\n"
        "q-a-2         compute     on     idle   \n"
        "q-a-3         compute     off    idle~  \n"
        "\n"
        "JOB  NAME   STATE    NODES  WHERE, OR WHY NOT\n"
        "7    train  RUNNING  2      q-a-[0,2]\n");
}

TEST_CASE("status screen: of 128 nodes, those in the same state share a line, the worst first") {
  DeploymentView view = cluster_of(128);
  for (size_t i = 1; i <= 64; ++i) view.nodes[i].slurm_state = "allocated";
  view.nodes[12].slurm_state = "down*";
  view.nodes[12].reason = "Not responding";
  view.nodes[100].faults = {"link-down enp0s12"};
  view.jobs = {{"7", "train", "RUNNING", 63, "q-a-[0-10,12-63]"}};
  CHECK(drawn(view, {80, 24, false}) ==
        "q: running  129 nodes  1 down  1 job  12:00:00Z\n"
        "\n"
        "PARTITION   STATE      NODES  NAMES, FAULTS AND REASON\n"
        "a3          idle       1      q-a-99  fault: link-down enp0s12\n"
        "a3          down*      1      q-a-11  Not responding\n"
        "a3          allocated  63     q-a-[0-10,12-63]\n"
        "a3          idle       63     q-a-[64-98,100-127]\n"
        "controller  on         1      q-controller\n"
        "\n"
        "JOB  NAME   STATE    NODES  WHERE, OR WHY NOT\n"
        "7    train  RUNNING  63     q-a-[0-10,12-63]\n");
}

TEST_CASE("status screen: never exceeds the terminal's size") {
  DeploymentView view = cluster_of(128);
  for (size_t i = 1; i <= 128; ++i) view.nodes[i].reason = fmt::format("reason {}", i);
  for (int i = 0; i < 40; ++i) {
    view.jobs.push_back({std::to_string(i), std::string(300, 'x'), "PENDING", 1, "(Priority)"});
  }
  for (const size_t rows : {1U, 2U, 5U, 10U, 24U, 60U}) {
    for (const size_t columns : {1U, 20U, 80U}) {
      const std::vector<std::string> lines = draw_status(view, {columns, rows, false}, "now");
      INFO(rows << " rows, " << columns << " columns");
      CHECK(lines.size() <= rows);
      for (const std::string& line : lines) CHECK(line.size() <= columns);
    }
  }
}

TEST_CASE("status screen: shows how much does not fit") {
  DeploymentView view = cluster_of(1);
  for (int i = 0; i < 40; ++i) {
    view.jobs.push_back({std::to_string(i), "job", "PENDING", 1, "(Priority)"});
  }
  CHECK_THAT(drawn(view, {80, 12, false}), ContainsSubstring("and 36 more\n"));
}

TEST_CASE("status screen: names from others cannot control the terminal") {
  DeploymentView view = cluster_of(1);
  view.jobs = {{"1", "a\x1b[2Jb", "RUNNING", 1, "q-a-0"}};
  CHECK(drawn(view, {80, 24, true}).find("\x1b[2J") == std::string::npos);
  CHECK_THAT(drawn(view, {80, 24, false}), ContainsSubstring("a?[2Jb"));
}

TEST_CASE("status screen: in color, the text is the same") {
  const DeploymentView view = cluster_of(4);
  CHECK_THAT(drawn(view, {80, 24, true}), ContainsSubstring("\x1b[32midle\x1b[0m"));
}

TEST_CASE("status screen: if slurmctld does not answer, jobs are unknown") {
  DeploymentView view = cluster_of(1);
  view.nodes[1].slurm_state = "unknown";
  view.slurm = {true, false, "2026-11-22 17:03:12Z", "slurmctld is not running (signal 9)"};
  CHECK(drawn(view, {100, 24, false}) ==
        "q: running  2 nodes  states unknown  jobs unknown  12:00:00Z\n"
        "\n"
        "NODE          ROLE        POWER  STATE    FAULTS AND REASON\n"
        "q-controller  controller  on     on       \n"
        "q-a-0         compute     on     unknown  \n"
        "\n"
        "jobs unknown\n"
        "slurmctld has not answered since 2026-11-22 17:03:12Z: slurmctld is not running (signal "
        "9)\n");
}
