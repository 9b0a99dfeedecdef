// `slipway node describe`, a part of `slipway node`.
#pragma once

#include <filesystem>

#include "launcher/cluster/catalogue.h"
#include "launcher/commands/commands.h"

namespace slipway::commands {

int node_describe(Args args);

// The catalogue with its bandwidths. Throws Error with all its problems.
cluster::Catalogue read_whole_catalogue(const std::filesystem::path& folder);

}  // namespace slipway::commands
