// Runs the pods of a JobSet on the nodes of a local cluster, and restarts them as JobSet does.
#pragma once

#include <vector>

#include "launcher/local/deployment_folder.h"
#include "launcher/pods/placement.h"

namespace slipway::pods {

// `pods` are those of place_pods(). Output of pods goes to ours, each line with the name of its
// pod. True if the JobSet completes. Throws Error if the cluster does not answer or the caller is
// interrupted; the pods have ended then.
bool run_job_set(const JobSet& set, const std::vector<Pod>& pods,
                 const local::DeploymentFolder& folder);

}  // namespace slipway::pods
