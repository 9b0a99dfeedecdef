// Writes the deployment folder to disk.
#pragma once

#include <filesystem>

#include "common/fd.h"
#include "launcher/google/definitions.h"

namespace slipway::google {

enum class Existing {
  refuse,
  replace,  // overwrite files of an earlier `create`; keep state and the user's files
};

// Writes the files to a temporary folder, which then atomically replaces `folder`. Returns the
// number of files. Throws Error and changes nothing, among others,
//   if the folder exists, or with `replace`, if `create` did not write it
//   if a deployed group would be removed
//   if Terraform or another `slipway` is running in it
// Only the owner can access a new folder.
size_t write_folder(const std::filesystem::path& folder, const Definitions& definitions,
                    Existing existing);

// Locks a folder that `create` wrote, for as long as the Fd is open. Throws Error if it is already
// locked.
Fd lock_folder(const std::filesystem::path& folder);

}  // namespace slipway::google
