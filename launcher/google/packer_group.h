// Writes the files of a Packer group.
#pragma once

#include "launcher/google/context.h"

namespace slipway::google {

// A library module becomes a template with all known values. A foreign module is copied, with a
// file of the values for its variables.
void write_packer_group(Context& context, size_t group);

}  // namespace slipway::google
