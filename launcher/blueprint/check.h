// Checks of a wired Deployment: settings, types and the modules' own rules.
#pragma once

#include "launcher/blueprint/evaluation.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Missing settings, types, values, rules, and what nothing uses. After wiring.
void check_settings(Evaluation& evaluation, source::Diagnostics& diagnostics);

}  // namespace slipway::blueprint
