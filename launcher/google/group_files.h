// Writes the files of a Terraform group.
#pragma once

#include "launcher/google/context.h"

namespace slipway::google {

// Later groups must be written first, since they determine which outputs this group needs.
void write_terraform_group(Context& context, size_t group);

}  // namespace slipway::google
