// Files that the deployment folder takes along.
#pragma once

#include <filesystem>

#include "launcher/google/context.h"

namespace slipway::google {

// What ghpc_stage() names, and what settings name in our library as `../_modules/embedded/PATH`,
// where Cluster Toolkit puts its own: blueprints are written with such paths. A file that our
// library does not have is a diagnostic.
void take_along(Context& context, const std::filesystem::path& library);

}  // namespace slipway::google
