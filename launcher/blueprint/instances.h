// Modules that are there on a condition (`when`), or once for each item of a collection
// (`for_each`), become plain modules.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Replaces each module with `for_each` by its instances, each called ID-KEY, and drops modules
// whose `when` is false. Names of such a module in `use`, `depends_on` and expressions become those
// of the instances: ID[KEY].OUTPUT is one output, ID[*].OUTPUT the list of all. A group that has no
// modules left is dropped.
void make_instances(Deployment& deployment, source::Diagnostics& diagnostics);

// Puts the settings of `overrides` in the place of the modules' own. A name of a `for_each` module
// stands for all its instances.
void override_settings(Deployment& deployment, source::Diagnostics& diagnostics);

}  // namespace slipway::blueprint
