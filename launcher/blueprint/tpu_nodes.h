// Computes the number of machines for TPU topologies, which users would otherwise have to compute.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Sets `static_node_count` of modules that have this input, do not set it, and request TPUs with a
// known topology. Skips flex-start machines (enable_flex_start). Call after wiring, which may set
// the topology or the count.
void count_tpu_nodes(Deployment& deployment, source::Diagnostics& diagnostics);

}  // namespace slipway::blueprint
