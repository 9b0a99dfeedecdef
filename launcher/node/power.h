// Slurm's ResumeProgram and SuspendProgram on Google Cloud: machines that are there while jobs need
// them. docs/google-cloud.md
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launcher/node/cloud.h"
#include "launcher/node/told.h"

namespace slipway::node {

// Nodes that could not be had, and why, in a line for people.
struct Failed {
  std::vector<std::string> nodes;
  std::string reason;
};

// Makes a machine for each of the nodes, from its nodeset's instance template, in the first of the
// nodeset's zones that has room; one that is stopped is started. Those that run are left alone.
std::vector<Failed> resume(Cloud& cloud, const ClusterFile& cluster,
                           const std::vector<std::string>& nodes, const Patience& patience);

// Deletes the machines of the nodes, and no others. A machine that is already gone is not a
// failure.
std::vector<Failed> suspend(Cloud& cloud, const ClusterFile& cluster,
                            const std::vector<std::string>& nodes, const Patience& patience);

// The nodes whose machine is off, stopping, in repair, or gone. Nodes that belong to no nodeset are
// not included: nothing is known about their machines. Throws Error when the cloud does not answer
// for all of them: one that is on must never be taken for off.
std::vector<std::string> machines_off(Cloud& cloud, const ClusterFile& cluster,
                                      const std::vector<std::string>& nodes,
                                      const Patience& patience);

}  // namespace slipway::node
