// Checks settings that describe slices of TPUs.
#pragma once

#include "launcher/blueprint/evaluation.h"
#include "launcher/cluster/tpu_table.h"

namespace slipway::cluster {

// Reports accelerator types and topologies that a generation does not have, zones without it, and
// numbers of machines that form no whole slices, as far as the values are known.
void check_tpus(blueprint::Evaluation& evaluation, const TpuTable& table,
                source::Diagnostics& diagnostics);

}  // namespace slipway::cluster
