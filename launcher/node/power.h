// Slurm's ResumeProgram and SuspendProgram on Google Cloud, which make and delete machines on
// demand: docs/guides/google-cloud.md.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launcher/node/cloud.h"
#include "launcher/node/metadata.h"

namespace slipway::node {

// Nodes that could not be provided, and why, in one readable line.
struct Failed {
  std::vector<std::string> nodes;
  std::string reason;
};

// Makes a machine for each node from its nodeset's instance template, in the first of the nodeset's
// zones that has capacity; starts it instead if it exists and is stopped. Leaves running machines
// alone.
std::vector<Failed> resume(Cloud& cloud, const ClusterFile& cluster,
                           const std::vector<std::string>& nodes, const Patience& patience);

// Deletes the machines of these nodes only. A machine that is already gone is not a failure.
std::vector<Failed> suspend(Cloud& cloud, const ClusterFile& cluster,
                            const std::vector<std::string>& nodes, const Patience& patience);

// The nodes whose machine is off, stopping, in repair, or gone. Nodes that belong to no nodeset are
// not included: nothing is known about their machines. Throws Error unless the cloud answers for
// all of them: a machine that is on must never be reported as off.
std::vector<std::string> machines_off(Cloud& cloud, const ClusterFile& cluster,
                                      const std::vector<std::string>& nodes,
                                      const Patience& patience);

}  // namespace slipway::node
