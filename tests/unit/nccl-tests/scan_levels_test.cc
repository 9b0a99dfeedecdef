// How the levels below pairs explain a node that a scan named.
#include "nccl-tests/scan_levels.h"

#include "common/error.h"
#include "tests/unit/catch.h"

using namespace slipway::bandwidth;
using Sentences = std::vector<std::string>;

namespace {

NodeLevel level(int node, const std::string& part, const std::string& does, double speed) {
  return {.node = node, .part = part, .does = does, .gb_per_s = speed};
}

// Nodes 0 and 1 are healthy, node 2 was named. Each has two interfaces and a memory.
std::vector<NodeLevel> three_nodes() {
  std::vector<NodeLevel> levels;
  for (const int node : {0, 1, 2}) {
    for (const char* const part : {"interface enp0s12", "interface enp6s0"}) {
      for (const char* const does : {"sends", "receives"})
        levels.push_back(level(node, part, does, 11.8 + 0.2 * node));
    }
    levels.push_back(level(node, "host memory", "copies", 20));
  }
  return levels;
}

NodeLevel& find(std::vector<NodeLevel>& levels, const std::string& part, const std::string& does) {
  for (NodeLevel& one : levels) {
    if (one.node == 2 && one.part == part && one.does == does) return one;
  }
  throw slipway::Error("no such level");
}

}  // namespace

TEST_CASE("scan levels: an interface that is slow in one direction is named with it") {
  std::vector<NodeLevel> levels = three_nodes();
  find(levels, "interface enp0s12", "sends").gb_per_s = 0.6;
  CHECK(explain(2, levels, {0, 1}, 0.1) ==
        Sentences{"interface enp0s12 sends 0.6 GB/s, 11.8 or more on healthy nodes, the node's "
                  "others 12.2; only this direction is slow: it receives 12.2"});
  find(levels, "interface enp0s12", "receives").gb_per_s = 0.7;
  for (const std::string& why : explain(2, levels, {0, 1}, 0.1))
    CHECK(why.find("only this direction") == why.npos);
  // Nobody knows what the other direction does.
  find(levels, "interface enp0s12", "receives").gb_per_s.reset();
  CHECK(explain(2, levels, {0, 1}, 0.1).front().ends_with("the node's others 12.2"));
}

TEST_CASE("scan levels: a GPU's connection to the host has two directions") {
  std::vector<NodeLevel> levels;
  for (const int node : {0, 1, 2}) {
    levels.push_back(level(node, "GPU 3", "receives from the host", 55));
    levels.push_back(level(node, "GPU 3", "sends to the host", node == 2 ? 12 : 55));
  }
  CHECK(explain(2, levels, {0, 1}, 0.1) ==
        Sentences{"GPU 3 sends to the host 12 GB/s, 55 or more on healthy nodes; only this "
                  "direction is slow: it receives from the host 55"});
}

TEST_CASE("scan levels: a loss smaller than the one to find is not named") {
  std::vector<NodeLevel> levels = three_nodes();
  find(levels, "interface enp6s0", "receives").gb_per_s = 11;
  CHECK(explain(2, levels, {0, 1}, 0.1) ==
        Sentences{"nothing inside the node explains it: check its links"});
  CHECK(explain(2, levels, {0, 1}, 0.05).size() == 1);
  CHECK(explain(2, levels, {0, 1}, 0.05).front().starts_with("interface enp6s0 receives 11 GB/s"));
}

TEST_CASE("scan levels: every slow part is named, and parts that failed") {
  std::vector<NodeLevel> levels = three_nodes();
  find(levels, "host memory", "copies").gb_per_s = 9;
  NodeLevel& broken = find(levels, "interface enp6s0", "sends");
  broken.gb_per_s.reset();
  broken.why = "no result within 60 s";
  levels.push_back({.node = 2,
                    .part = "GPU 3",
                    .does = "computes",
                    .gb_per_s = {},
                    .why = "it computed a wrong result"});
  CHECK(explain(2, levels, {0, 1}, 0.1) ==
        Sentences{"interface enp6s0: no result within 60 s",
                  "host memory copies 9 GB/s, 20 or more on healthy nodes",
                  "GPU 3: it computed a wrong result"});
}

TEST_CASE("scan levels: what a node does not have is not asked, and never passes") {
  std::vector<NodeLevel> levels = three_nodes();
  levels.push_back({.node = 2,
                    .part = "GPUs",
                    .does = "",
                    .gb_per_s = {},
                    .why = "no GPU: libcuda.so.1 not found",
                    .was_asked = false});
  CHECK(explain(2, levels, {0, 1}, 0.1) ==
        Sentences{"nothing inside the node explains it: check its links",
                  "not asked: GPUs (no GPU: libcuda.so.1 not found)"});
}

TEST_CASE("scan levels: without a healthy node to compare with, nothing is judged") {
  CHECK(explain(2, three_nodes(), {}, 0.1) ==
        Sentences{"no healthy node was examined, so nothing inside it can be judged"});
}

TEST_CASE("scan levels: they survive the way to rank 0, whatever a message contains") {
  std::vector<NodeLevel> levels = three_nodes();
  levels[1].gb_per_s.reset();
  levels[1].why = "rank 1: a|b\tc\nd";
  levels[2].was_asked = false;
  const std::vector<NodeLevel> got = parse_node_levels(to_text(levels), 7);
  REQUIRE(got.size() == levels.size());
  CHECK(got[1].why == "rank 1: a b c d");
  CHECK(!got[1].gb_per_s);
  CHECK(!got[2].was_asked);
  CHECK(got[0].node == 7);
  CHECK(got[0].part == levels[0].part);
  CHECK(*got[0].gb_per_s == *levels[0].gb_per_s);
  for (const char* const wrong : {"a|b|c", "part|does|||1", "part|does|x||1"})
    CHECK_THROWS_AS(parse_node_levels(wrong, 0), slipway::Error);
}
