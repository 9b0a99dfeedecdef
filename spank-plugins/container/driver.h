// The GPU driver in a container: its libraries have to match the node's kernel modules, so they
// come from the node. The lists are in blueprints/catalogue/driver.yaml.
#pragma once

#include <vector>

#include "spank-plugins/container/mounts.h"

namespace slipway::container {

// Whether a container with this environment gets the driver: NVIDIA_VISIBLE_DEVICES=void turns it
// off, as for NVIDIA's own container tools.
bool wants_driver(const Environment& environment);

// The mounts of what this node has of the driver; none on a node without it. Where libraries go
// depends on the folders that the image has.
std::vector<MountLine> driver_mounts(const Roots& roots);

}  // namespace slipway::container
