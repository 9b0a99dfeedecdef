// Tests of a deployment's nodes and jobs as text.
#include "launcher/local/status_table.h"

#include <fmt/core.h>

#include "tests/unit/catch.h"

using namespace slipway::local;

namespace {

DeploymentView many_nodes(int count) {
  DeploymentView view{DeploymentFolder("/nowhere", "big"), "big", "running", {}, {}};
  view.nodes.push_back({"big-controller", "controller", "n2-standard-4", "10.0.0.2/9", true, ""});
  for (int i = 0; i < count; ++i) {
    view.nodes.push_back({fmt::format("big-gpu-{}", i), "compute", "a3-megagpu-8g",
                          fmt::format("10.0.0.{}/9", i + 3), true, "idle"});
  }
  return view;
}

}  // namespace

TEST_CASE("status table: up to eight nodes that are alike have a row each") {
  const std::string text = node_table(many_nodes(8));
  CHECK(std::ranges::count(text, '\n') == 10);
  CHECK(
      text.starts_with("NODE           ROLE       MACHINE TYPE  ADDRESS     POWER SLURM\n"
                       "big-controller controller n2-standard-4 10.0.0.2/9  on\n"
                       "big-gpu-0      compute    a3-megagpu-8g 10.0.0.3/9  on    idle\n"));
}

TEST_CASE("status table: more nodes that are alike share a row, and what is wrong has its nodes") {
  DeploymentView view = many_nodes(100);
  view.nodes[8].slurm_state = "drained";
  view.nodes[8].reason = "gpu 3: Xid 79";
  for (size_t i = 20; i < 40; ++i) view.nodes[i].faults = {"hang"};
  CHECK(node_table(view) ==
        "NODE               ROLE       MACHINE TYPE  ADDRESS                POWER SLURM\n"
        "big-controller     controller n2-standard-4 10.0.0.2/9             on\n"
        "big-gpu-[0-6,8-99] compute    a3-megagpu-8g 10.0.0.3/9 and 98 more on    idle\n"
        "big-gpu-7          compute    a3-megagpu-8g 10.0.0.10/9            on    drained\n"
        "big-gpu-7: reason: gpu 3: Xid 79\n"
        "big-gpu-[19-38]: fault: hang\n");
}

TEST_CASE("status table: images have a column while they differ") {
  DeploymentView view = many_nodes(2);
  for (NodeView& node : view.nodes) node.image = "trixie-1";
  CHECK(node_table(view).find("IMAGE") == std::string::npos);
  view.nodes[0].image = "sid-2";
  view.nodes[2].image = "";
  CHECK(node_table(view) ==
        "NODE           ROLE       MACHINE TYPE  ADDRESS    POWER SLURM IMAGE\n"
        "big-controller controller n2-standard-4 10.0.0.2/9 on          sid-2\n"
        "big-gpu-0      compute    a3-megagpu-8g 10.0.0.3/9 on    idle  trixie-1\n"
        "big-gpu-1      compute    a3-megagpu-8g 10.0.0.4/9 on    idle  this machine\n");
}

TEST_CASE("status table: at most twenty jobs are listed") {
  DeploymentView view = many_nodes(1);
  CHECK(job_list(view) == "no jobs\n");
  for (int i = 1; i <= 25; ++i)
    view.jobs.push_back({fmt::format("9_{}", i), "t", "RUNNING", 1, "n"});
  const std::string text = job_list(view);
  CHECK(text.starts_with("25 jobs\n  9_1 t RUNNING on 1 node: n\n"));
  CHECK(text.ends_with("  9_20 t RUNNING on 1 node: n\n  and 5 more\n"));
}
