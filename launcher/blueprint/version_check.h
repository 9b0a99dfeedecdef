// Compares a blueprint with the release of Cluster Toolkit that it names: in
// `toolkit_modules_version`, or as `?ref=` of a source.
#pragma once

#include <string>

#include "launcher/blueprint/deployment.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Reports modules and settings that came after that release, as far as the library knows.
void check_versions(const Deployment& deployment, source::Diagnostics& diagnostics);

// What became of a setting that the module does not have: that it is gone, or that the blueprint's
// release is newer than the library. Empty if nothing is known.
std::string setting_history(const Deployment& deployment, const Module& module,
                            const std::string& setting);

}  // namespace slipway::blueprint
