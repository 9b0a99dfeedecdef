// Resolves conditional modules (`when`) and modules with instances (`for_each`) to plain modules.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Replaces each module with `for_each` by its instances, called ID-KEY, and removes modules whose
// `when` is false and groups without modules. References to a `for_each` module in `use`,
// `depends_on` and expressions become references to its instances: ID[KEY].OUTPUT to one,
// ID[*].OUTPUT to a list of all.
void make_instances(Deployment& deployment, source::Diagnostics& diagnostics);

// Applies the settings in `overrides` to their modules. The name of a `for_each` module applies to
// all its instances.
void override_settings(Deployment& deployment, source::Diagnostics& diagnostics);

}  // namespace slipway::blueprint
