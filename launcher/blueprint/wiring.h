// Wiring: fills in the settings that a blueprint leaves to `use`, to variables with the same name
// and to module ids.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Makes every setting explicit. Precedence: settings in the blueprint, then outputs of used modules
// in the order of `use`, then the variable with the same name, then the module's id. A list
// collects the outputs of all used modules, other settings take the first. Reports invalid entries
// of `use`, and adds the outputs that later groups need.
void wire(Deployment& deployment, source::Diagnostics& diagnostics);

}  // namespace slipway::blueprint
