// Pods that run on slices of TPUs.
#pragma once

#include "launcher/cluster/tpu_table.h"
#include "launcher/kubernetes/object.h"

namespace slipway::kubernetes {

// Reports pods, and flavors of Kueue, that choose a slice that does not exist, and jobs with
// another number of pods than their slice has machines: such pods wait forever.
void check_tpu_pods(const Object& object, const cluster::TpuTable& table,
                    source::Diagnostics& diagnostics);

}  // namespace slipway::kubernetes
