// The deployment folder on the disk.
#pragma once

#include <filesystem>

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
//   when Terraform is at work in it
size_t write_folder(const std::filesystem::path& folder, const Definitions& definitions,
                    Existing existing);

}  // namespace slipway::google
