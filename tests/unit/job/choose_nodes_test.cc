#include "launcher/job/choose_nodes.h"

#include "tests/unit/catch.h"

using namespace slipway::job;
using Nodes = std::vector<std::string>;

namespace {

Verdict suspecting(const std::string& node) {
  Verdict verdict;
  verdict.suspect = node;
  return verdict;
}

Verdict blaming(const std::string& node) {
  Verdict verdict;
  verdict.blame = Blame::node;
  verdict.nodes = {node};
  return verdict;
}

}  // namespace

TEST_CASE("choice of nodes: the first nodes, then spares") {
  const NodeChoice choice = first_choice({"a", "b", "c"}, 2);
  CHECK(choice.nodes == Nodes{"a", "b"});
  CHECK(choice.spares == Nodes{"c"});
  CHECK(first_choice({"a"}, 2).nodes == Nodes{"a"});
}

TEST_CASE("choice of nodes: a spare replaces a bad node") {
  const NodeChoice choice = next_choice({{"a", "b", "c"}, {"d", "e"}}, {"b"}, blaming("b"), 1);
  CHECK(choice.nodes == Nodes{"a", "d", "c"});
  CHECK(choice.spares == Nodes{"e"});
}

TEST_CASE("choice of nodes: a bad spare is dropped") {
  const NodeChoice choice = next_choice({{"a", "b"}, {"d", "e"}}, {"b", "d"}, blaming("b"), 1);
  CHECK(choice.nodes == Nodes{"a", "e"});
  CHECK(choice.spares.empty());
}

TEST_CASE("choice of nodes: fewer nodes without spares") {
  CHECK(next_choice({{"a", "b", "c"}, {}}, {"a"}, blaming("a"), 1).nodes == Nodes{"b", "c"});
}

TEST_CASE("choice of nodes: a suspect becomes the last spare") {
  const NodeChoice choice = next_choice({{"a", "b", "c"}, {"d", "e"}}, {}, suspecting("b"), 1);
  CHECK(choice.nodes == Nodes{"a", "d", "c"});
  CHECK(choice.spares == Nodes{"e", "b"});
}

TEST_CASE("choice of nodes: a node where failures began twice is left out if enough nodes remain") {
  Verdict twice = suspecting("b");
  twice.times = 2;
  const NodeChoice choice = next_choice({{"a", "b", "c"}, {}}, {}, twice, 2);
  CHECK(choice.nodes == Nodes{"a", "c"});
  CHECK(choice.spares == Nodes{"b"});
  CHECK(next_choice({{"a", "b", "c"}, {}}, {}, twice, 3).nodes == Nodes{"b", "c", "a"});
}

TEST_CASE("choice of nodes: without spares, a suspect gets another rank") {
  CHECK(next_choice({{"a", "b", "c"}, {}}, {}, suspecting("b"), 1).nodes == Nodes{"b", "c", "a"});
  CHECK(next_choice({{"a", "b", "c"}, {}}, {}, suspecting(""), 1).nodes == Nodes{"a", "b", "c"});
}
