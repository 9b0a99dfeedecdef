// The deployment folder on the disk.
#pragma once

#include <filesystem>

#include "common/fd.h"
#include "launcher/google/definitions.h"

namespace slipway::google {

enum class Existing {
  refuse,
  replace,  // what `create` wrote before; state, and files of others, stay
};

// Writes the files into the folder. They are put into a temporary folder beside it, which takes its
// place at the end: the folder is whole, or as it was. Returns the number of files. Throws Error,
// and then nothing has changed, also
//   when there is something of that name, or with `replace` something that `create` has not made
//   when a group that is deployed would be dropped
//   when Terraform, or another `slipway`, is at work in it
// A new folder is its owner's alone.
size_t write_folder(const std::filesystem::path& folder, const Definitions& definitions,
                    Existing existing);

// Keeps others from changing a folder that `create` has made, for as long as the Fd is open. Throws
// Error when somebody is at work in it.
Fd lock_folder(const std::filesystem::path& folder);

}  // namespace slipway::google
