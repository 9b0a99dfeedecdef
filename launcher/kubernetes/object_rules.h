// What no schema says, and the API server's validation rules and webhooks refuse.
#pragma once

#include "launcher/kubernetes/object.h"
#include "launcher/source/diagnostics.h"

namespace slipway::kubernetes {

// The rules of JobSet's webhook (kubernetes-sigs/jobset 08dfbdf, pkg/webhooks/jobset_webhook.go):
// names of pods, the coordinator, the order of dependsOn, names of failure rules, in-place
// restarts; and those of Kueue's Topology (kubernetes-sigs/kueue ff69552, apis/kueue/v1beta2).
void check_rules(const Object& object, source::Diagnostics& diagnostics);

}  // namespace slipway::kubernetes
