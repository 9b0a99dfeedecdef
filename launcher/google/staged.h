// Copies files to the deployment folder.
#pragma once

#include <filesystem>

#include "launcher/google/context.h"

namespace slipway::google {

// Copies the files that ghpc_stage() names, and the library files that settings name as
// `../_modules/embedded/PATH`, where Cluster Toolkit puts its own. Reports files that the library
// does not have.
void copy_staged_files(Context& context, const std::filesystem::path& library);

}  // namespace slipway::google
