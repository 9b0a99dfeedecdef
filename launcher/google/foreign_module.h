// Writes the call of a Terraform module that is not part of the library.
#pragma once

#include "launcher/google/context.h"
#include "launcher/google/module_file.h"

namespace slipway::google {

// The file with the call, of the user's module or of one of Cluster Toolkit's. A local module is
// copied next to it; Terraform fetches a remote one. Adds the module's providers to `contents`.
Json foreign_module(Context& context, const blueprint::Module& module, GroupContents& contents);

}  // namespace slipway::google
