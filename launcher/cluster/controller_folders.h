// Folders that the controller serves: entries of `network_storage` without a server, or with
// `$controller`, as in Cluster Toolkit.
#pragma once

#include <vector>

#include "launcher/cluster/model.h"
#include "launcher/cluster/model_part.h"

namespace slipway::cluster {

// Mounts them on the machines of a cluster, where nothing else is mounted, by the parts of its
// controller and nodesets. What is unknown before deployment is left out, and so is what no machine
// of a local cluster can mount. The controller has its folders at their own place only.
void mount_controller_folders(const ModelPart& controller, const std::vector<ModelPart>& nodesets,
                              Cluster& cluster);

}  // namespace slipway::cluster
