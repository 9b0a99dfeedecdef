// Backends: where Terraform stores the state of each group.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Gives each Terraform group without its own backend the default one, with its own prefix in the
// bucket. Evaluates the configurations of backends, providers and validators, which must be known
// before deployment.
void finish_backends(Deployment& deployment, source::Diagnostics& diagnostics);

}  // namespace slipway::blueprint
