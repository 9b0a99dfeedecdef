// The interface of a folder with Terraform or Packer files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "launcher/modules/interface.h"
#include "launcher/source/diagnostics.h"

namespace slipway::modules {

// True when the folder has a file that Terraform or Packer would read.
bool is_terraform_module(const std::filesystem::path& folder);

// Reads the `variable` and `output` blocks of the folder's files. `source` is what the blueprint
// calls it. Mistakes in the files are diagnostics. The interface is `unreadable` when the structure
// of a file cannot be read.
Interface read_terraform_module(const std::filesystem::path& folder, const std::string& source,
                                source::Sources& sources, source::Diagnostics& diagnostics);

}  // namespace slipway::modules
