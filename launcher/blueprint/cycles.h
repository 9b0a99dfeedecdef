// Finds values that depend on themselves.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/modules/library.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Reports modules whose settings depend on their own outputs through other modules, or that wait
// for each other with `depends_on`. Modules may use each other as long as no value needs itself: a
// controller and its nodeset do. Call after wiring.
void check_cycles(const Deployment& deployment, modules::Library& library,
                  source::Diagnostics& diagnostics);

}  // namespace slipway::blueprint
