// A job as Kubernetes objects: a JobSet, and a ConfigMap with its script.
#pragma once

#include <string>

#include "launcher/conversion/kueue.h"
#include "launcher/conversion/pods.h"

namespace slipway::conversion {

// The manifest, with a comment at each decision. `files` and `transport` as pods.h makes them.
std::string jobset(const Plan& plan, const PodTransport& transport,
                   const std::vector<JobFile>& files, const KueueTable& kueue);

}  // namespace slipway::conversion
