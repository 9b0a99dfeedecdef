// How the reconciler talks to Slurm.
#pragma once

#include <string>
#include <vector>

#include "launcher/node/reconcile.h"

namespace slipway::node {

// All nodes, also those without a machine. Throws Error if slurmctld does not answer, or knows no
// node: then every machine would look as if nobody wanted it.
std::vector<NodeState> nodes_in_slurm();

// The commands that take these steps, without those that are not Slurm's. Steps of the same kind
// and reason that follow each other share a command, with at most 200 nodes each.
struct SlurmCommand {
  std::vector<std::string> argv;
  std::vector<Step> steps;
};
std::vector<SlurmCommand> slurm_commands(const std::vector<Step>& steps);

// Runs one. Throws Error with what Slurm says.
void run_in_slurm(const SlurmCommand& command);

}  // namespace slipway::node
