// Finds attributes that blueprints give to object settings and that the setting's type does not
// have.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Reports each at its key: as an error if it is a slip of one that the type has, otherwise as a
// warning, since Terraform drops such attributes in silence and published blueprints have some.
// Values of variables are not looked at: settings of several types can share one.
void check_attributes(const Module& module, source::Diagnostics& diagnostics);

}  // namespace slipway::blueprint
