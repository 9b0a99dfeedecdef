// Files that a blueprint takes along into the deployment folder: ghpc_stage("path").
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Collects deployment.staged_files. A relative path starts at the folder of the blueprint that the
// call stands in; at that of the blueprint itself for calls elsewhere. A file that is not there is
// an error, or a warning when `need_files` is false.
void stage_files(Deployment& deployment, bool need_files, const source::Sources& sources,
                 source::Diagnostics& diagnostics);

}  // namespace slipway::blueprint
