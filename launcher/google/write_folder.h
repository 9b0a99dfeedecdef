// The deployment folder on the disk.
#pragma once

#include <filesystem>

#include "launcher/google/definitions.h"

namespace slipway::google {

// Writes the files into a new folder. They are put into a temporary folder beside it, which gets
// its name at the end: the folder is whole, or it is not there. Throws Error, also when there is
// something of that name.
void write_folder(const std::filesystem::path& folder, const Definitions& definitions);

}  // namespace slipway::google
