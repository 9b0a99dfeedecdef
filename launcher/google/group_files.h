// The files of a Terraform group.
#pragma once

#include "launcher/google/context.h"

namespace slipway::google {

// Those of groups that come later must have been made before: they say which outputs are wanted.
void write_terraform_group(Context& context, size_t group);

}  // namespace slipway::google
