// Reads the interface of a folder with Terraform or Packer files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "launcher/modules/interface.h"
#include "launcher/source/diagnostics.h"

namespace slipway::modules {

// True if the folder has a file that Terraform or Packer reads.
bool is_terraform_module(const std::filesystem::path& folder);

// Reads the `variable` and `output` blocks of the folder's files, and reports errors in them.
// `source` is the module's source in the blueprint. The interface is `unreadable` if the structure
// of a file cannot be read.
Interface read_terraform_module(const std::filesystem::path& folder, const std::string& source,
                                source::Sources& sources, source::Diagnostics& diagnostics);

}  // namespace slipway::modules
