// Asks the nodes of a site's cluster to describe themselves, with a job on each.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace slipway::hosts {

struct SiteNode {
  std::string name;
  std::string state;  // "idle", "allocated", "down*"
};

// The nodes that Slurm knows, each once. Throws Error if slurmctld does not answer.
std::vector<SiteNode> nodes_of_slurm();

struct NodeAnswer {
  std::string node;
  std::string text;     // what the command printed
  std::string problem;  // why there is no answer; empty if there is one
};

// The last line of what srun and its command wrote to stderr, without srun's report of the exit
// status where the command has said more.
std::string reason_of_failure(const std::string& errors);

// Runs a command on each of the nodes with srun, some dozens at a time, and returns what they print
// in the order of `nodes`. `{}` in the command is the node's name. A node whose CPUs are all taken
// shares them for these seconds; a node that does not start the command within a minute has a
// problem.
std::vector<NodeAnswer> ask_nodes(const std::vector<std::string>& nodes,
                                  const std::vector<std::string>& command);

}  // namespace slipway::hosts
