// Settings that follow from the machines: what users would otherwise compute by hand.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Sets `static_node_count` where a module has that input, leaves it open, and asks for TPUs of a
// known topology: the machines that form it. Not for machines that the cloud hands out when it has
// them (enable_flex_start). After wiring, which may bring the topology or the count.
void count_tpu_nodes(Deployment& deployment, source::Diagnostics& diagnostics);

}  // namespace slipway::blueprint
