// Checks a wired Deployment: settings, types and the rules of modules.
#pragma once

#include "launcher/blueprint/evaluation.h"
#include "launcher/blueprint/known_modules.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Reports missing settings, wrong types and values, broken rules, and anything unused. Call after
// wiring. `known` may be null.
void check_settings(Evaluation& evaluation, KnownModules* known, source::Diagnostics& diagnostics);

}  // namespace slipway::blueprint
