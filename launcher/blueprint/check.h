// Checks of a wired Deployment: references, settings, types and the modules' own rules.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Settings and outputs that the modules do not have, and references to what does not exist. Before
// wiring, because wiring looks at what is set.
void check_references(const Deployment& deployment, source::Diagnostics& diagnostics);

// Missing settings, types, values, rules, and what nothing uses. After wiring.
void check_settings(const Deployment& deployment, source::Diagnostics& diagnostics);

}  // namespace slipway::blueprint
