// The GPU driver in a container: its libraries have to match the node's kernel modules, so they
// come from the node. The lists are in blueprints/catalogue/driver.yaml.
#pragma once

#include <string>
#include <vector>

#include "spank-plugins/container/mounts.h"

namespace slipway::container {

// Whether a container with this environment gets the driver: NVIDIA_VISIBLE_DEVICES=void turns it
// off, as for NVIDIA's own container tools.
bool wants_driver(const Environment& environment);

// What this node has of the driver; nothing on a node without it.
struct Driver {
  std::vector<MountLine> libraries, others;
  // In which the image's loader finds the libraries only if LD_LIBRARY_PATH names it; empty: they
  // are beside the image's C library.
  std::string extra_folder;
};
Driver driver_for(const Roots& roots);

}  // namespace slipway::container
