// Reads what Cluster Toolkit's engine takes from the metadata.yaml of a Terraform module.
#pragma once

#include <filesystem>

#include "launcher/modules/interface.h"
#include "launcher/source/diagnostics.h"

namespace slipway::modules {

// Adds to `interface` what the folder's metadata.yaml says: the services that the module needs, the
// input that gets the module's id, whether the module must be used, its validators, and when it
// goes away. Does nothing without the file, and ignores other keys. Reports what is wrong.
void read_metadata(const std::filesystem::path& folder, Interface& interface,
                   source::Sources& sources, source::Diagnostics& diagnostics);

}  // namespace slipway::modules
