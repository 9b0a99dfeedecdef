// Where Terraform keeps the state of each group.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Gives each Terraform group without a backend of its own the default one, with a prefix of its own
// in a bucket, and computes what backends, providers and validators are configured with: it must be
// known before deployment.
void finish_backends(Deployment& deployment, source::Diagnostics& diagnostics);

}  // namespace slipway::blueprint
