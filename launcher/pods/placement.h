// Which node of a local cluster runs which pod.
#pragma once

#include <string>
#include <vector>

#include "launcher/cluster/catalogue.h"
#include "launcher/local/plan.h"
#include "launcher/pods/pod_script.h"

namespace slipway::pods {

struct PlacedPod {
  Pod pod;
  std::string node;
};

// By which pods choose machines.
struct MachineLabels {
  const cluster::Catalogue* catalogue = nullptr;
  std::string accelerator, machine;
};

// The pods of the JobSet on these compute nodes, which run. Pods with GPUs have their nodes to
// themselves, others share them. Throws Error if the cluster does not have what the pods need.
std::vector<PlacedPod> place_pods(const JobSet& set,
                                  const std::vector<const local::PlannedNode*>& nodes,
                                  const MachineLabels& labels);

}  // namespace slipway::pods
