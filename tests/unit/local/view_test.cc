#include "common/error.h"
#include "launcher/local/deployment_view.h"
#include "tests/unit/catch.h"

using namespace slipway::local;

namespace {

DeploymentView example() {
  DeploymentView view{DeploymentFolder("/x", "quick"), "quick", "running", {}, {}};
  view.nodes = {{"q-controller", "controller", "", "", true, ""},
                {"q-login-001", "login", "", "", true, ""},
                {"q-a-0", "compute", "", "", true, "idle"},
                {"q-a-1", "compute", "", "", true, "idle"},
                {"q-b-0", "compute", "", "", true, "idle"}};
  return view;
}

}  // namespace

TEST_CASE("resolve node: by name, by unique ending, by role") {
  CHECK(resolve_node(example(), "q-a-1") == "q-a-1");
  CHECK(resolve_node(example(), "a-1") == "q-a-1");
  CHECK(resolve_node(example(), "login") == "q-login-001");
  CHECK(resolve_node(example(), "001") == "q-login-001");
  CHECK(resolve_node(example(), "compute") == "q-a-0");
}

TEST_CASE("resolve node: an ending of two nodes does not match") {
  CHECK_THROWS_WITH(resolve_node(example(), "0"),
                    "deployment `quick` has no node `0`; `slipway status quick` lists its nodes");
}

TEST_CASE("resolve node: a typo gets a suggestion") {
  CHECK_THROWS_WITH(resolve_node(example(), "q-a-00"),
                    "deployment `quick` has no node `q-a-00`; did you mean `q-a-0`?");
}

TEST_CASE("needs attention: a cluster at work does not") {
  DeploymentView view = example();
  CHECK(!needs_attention(view));
  view.nodes[3].running = false;
  view.nodes[3].slurm_state = "idle~";  // Slurm has powered it down
  CHECK(!needs_attention(view));
}

TEST_CASE("needs attention: nodes that are off, out of service or faulty, and silence") {
  DeploymentView off = example(), drained = example(), faulty = example(), silent = example(),
                 dead = example();
  off.nodes[2].running = false;
  drained.nodes[2].reason = "disk";
  faulty.nodes[2].faults = {"link-down enp0s12"};
  silent.slurm.answers = false;
  dead.state = "dead";
  for (const DeploymentView& view : {off, drained, faulty, silent, dead}) {
    CHECK(needs_attention(view));
  }
}
