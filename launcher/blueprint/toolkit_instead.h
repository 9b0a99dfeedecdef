// Modules that a blueprint can have only as Cluster Toolkit's own.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Where a module has a setting that only Cluster Toolkit's own module understands, such as TPU
// nodes, that module takes its place, and those of the modules with which it exchanges values: a
// cluster's partitions, nodesets, login nodes and controller are all from one of the two. Reports
// settings that only Slipway's modules have.
void use_toolkit_instead(Deployment& deployment, source::Diagnostics& diagnostics);

}  // namespace slipway::blueprint
