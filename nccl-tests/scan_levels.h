// The levels below pairs: what a node reaches by itself and through each of its interfaces. They
// explain why a scan named it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace slipway::bandwidth {

// One measurement inside a node, or through one of its interfaces.
struct NodeLevel {
  int node = 0;                    // index into the list of nodes
  std::string part;                // "interface enp0s12", "GPU 3"
  std::string does;                // "sends", "receives", "copies from the host"
  std::optional<double> gb_per_s;  // GB = 1e9 bytes; empty if it was not asked or failed
  std::string why = {};            // it has no speed: "no GPU", "wrong result"
  bool was_asked = true;           // false: the node has no such part, which says nothing
};

// How a process sends the levels of its node. Throws Error if the text is not what it sent.
std::string to_text(const std::vector<NodeLevel>& levels);
std::vector<NodeLevel> parse_node_levels(const std::string& text, int node);

// What explains that `node` was named, one sentence each: parts that failed, or that are slower by
// more than `detect` than the slowest of the same kind on all healthy nodes that were examined, and
// what was not asked.
std::vector<std::string> explain(int node, const std::vector<NodeLevel>& levels,
                                 const std::vector<int>& healthy, double detect);

}  // namespace slipway::bandwidth
