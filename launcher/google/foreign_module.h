// A Terraform module from elsewhere: called as it is.
#pragma once

#include "launcher/google/context.h"
#include "launcher/google/module_file.h"

namespace slipway::google {

// The file with the call. A module that lies in a folder of this machine is copied beside it; any
// other is fetched by Terraform. Adds the providers that the module needs to `contents`.
Json foreign_module(Context& context, const blueprint::Module& module, GroupContents& contents);

}  // namespace slipway::google
