// Wiring: the settings that a blueprint leaves to `use`, to variables of the same name, and to ids.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Makes every setting explicit. Precedence: written, then used outputs in the order of `use`, then
// the variable of the same name, then the module's id. A list takes the outputs of every used
// module, anything else the first. Reports a `use` that names nothing (or gives nothing), and adds
// the outputs that later groups need.
void wire(Deployment& deployment, source::Diagnostics& diagnostics);

}  // namespace slipway::blueprint
