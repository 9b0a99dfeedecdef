// The tasks of an attempt and their places, from which the variables of frameworks follow:
// frameworks.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace slipway::job {

using Variables = std::map<std::string, std::string>;

struct World {
  std::string job;
  std::vector<std::string> nodes;  // in the order of their ranks
  int64_t tasks_per_node = 1;
  int64_t restarts = 0;      // attempts before this one
  int64_t ranks_before = 0;  // in the attempt before; 0: this is the first
  // Of the first node, for this attempt: port_offers.h.
  int64_t port = 0, second_port = 0;
  int64_t size() const { return static_cast<int64_t>(nodes.size()) * tasks_per_node; }
};

// A task's place: its node's index, and its rank on the node.
struct Place {
  int64_t node = 0;
  int64_t local_rank = 0;
  int64_t rank(const World& world) const { return node * world.tasks_per_node + local_rank; }
};

}  // namespace slipway::job
