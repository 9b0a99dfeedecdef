// Slurm's ResumeProgram and SuspendProgram on Google Cloud, which make and delete machines on
// demand: docs/guides/google-cloud.md.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "launcher/node/cloud.h"
#include "launcher/node/metadata.h"
#include "launcher/node/resume_order.h"

namespace slipway::node {

// Nodes that could not be provided, and why, in one readable line.
struct Failed {
  std::vector<std::string> nodes;
  std::string reason;
};

struct Resumed {
  std::vector<Failed> failed;
  // Where the nodes' machines are: "/cluster/rack/host", by name, as far as the cloud says it.
  std::map<std::string, std::string> physical_hosts;
};

// Makes a machine for each node from its nodeset's instance template, by the nodeset's ways to buy
// in their order; starts it instead if it exists and is stopped. Leaves running machines alone. The
// nodes of a job get all of their machines or none.
Resumed resume(Cloud& cloud, const ClusterFile& cluster, const ResumeOrder& order,
               const Patience& patience);

// Deletes the machines of these nodes only, and then the placement policies that nothing uses any
// more. A machine that is already gone is not a failure.
std::vector<Failed> suspend(Cloud& cloud, const ClusterFile& cluster,
                            const std::vector<std::string>& nodes, const Patience& patience);

// The nodes whose machine is off, stopping, in repair, or gone. Nodes that belong to no nodeset are
// not included: nothing is known about their machines. Throws Error unless the cloud answers for
// all of them: a machine that is on must never be reported as off.
std::vector<std::string> machines_off(Cloud& cloud, const ClusterFile& cluster,
                                      const std::vector<std::string>& nodes,
                                      const Patience& patience);

}  // namespace slipway::node
