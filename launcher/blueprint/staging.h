// Finds the files that ghpc_stage("path") copies to the deployment folder.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Collects deployment.staged_files. A path is relative to the folder of the blueprint that contains
// the call, or of the main blueprint for calls elsewhere. A missing file is an error, or a warning
// if `need_files` is false.
void stage_files(Deployment& deployment, bool need_files, const source::Sources& sources,
                 source::Diagnostics& diagnostics);

}  // namespace slipway::blueprint
