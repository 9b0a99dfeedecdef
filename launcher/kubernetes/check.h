// Checks the Kubernetes objects that a blueprint applies, without a cluster.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "launcher/blueprint/evaluation.h"
#include "launcher/source/diagnostics.h"

namespace slipway::kubernetes {

// Reports what the API servers of these objects would refuse or ignore, at the manifest's own line.
// `catalogue` has kubernetes.yaml and kubernetes_schemas.json. Returns a line for each manifest
// that was not checked, such as a manifest on the internet.
std::vector<std::string> check_manifests(blueprint::Evaluation& evaluation,
                                         const std::filesystem::path& catalogue,
                                         source::Sources& sources,
                                         source::Diagnostics& diagnostics);

}  // namespace slipway::kubernetes
