// Which node of a local cluster runs which pod.
#pragma once

#include <string>
#include <vector>

#include "launcher/cluster/catalogue.h"
#include "launcher/local/plan.h"
#include "launcher/pods/pod_script.h"

namespace slipway::pods {

// By which pods choose machines.
struct MachineLabels {
  const cluster::Catalogue* catalogue = nullptr;
  std::string accelerator, machine;
};

// The pods of the JobSet on these compute nodes, which run, in the order of jobs, replicas and
// indexes. Pods with GPUs have their nodes to themselves, as long as their job can run at the same
// time as others; the rest shares the least used nodes. Throws Error if the cluster does not have
// what the pods need.
std::vector<Pod> place_pods(const JobSet& set, const std::vector<const local::PlannedNode*>& nodes,
                            const MachineLabels& labels);

}  // namespace slipway::pods
