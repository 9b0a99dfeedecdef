// Checks a wired Deployment: settings, types and the rules of modules.
#pragma once

#include "launcher/blueprint/evaluation.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Reports missing settings, wrong types and values, broken rules, and anything unused. Call after
// wiring.
void check_settings(Evaluation& evaluation, source::Diagnostics& diagnostics);

}  // namespace slipway::blueprint
