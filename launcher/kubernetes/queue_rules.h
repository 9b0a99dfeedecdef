// What Kueue's validation rules and webhooks refuse, and no schema says.
#pragma once

#include "launcher/kubernetes/object.h"
#include "launcher/source/diagnostics.h"

namespace slipway::kubernetes {

// Each flavor of a ClusterQueue or Cohort has quotas for exactly the covered resources, in their
// order, and is in one group only.
void check_quotas(const Object& object, source::Diagnostics& diagnostics);

// Operators and effects of all tolerations and taints of an object.
void check_tolerations(const Object& object, source::Diagnostics& diagnostics);

}  // namespace slipway::kubernetes
