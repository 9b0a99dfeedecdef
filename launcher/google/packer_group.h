// The files of a group that Packer builds an image of.
#pragma once

#include "launcher/google/context.h"

namespace slipway::google {

// A module of the library has a template, in which everything is written that is known. A foreign
// one is copied, with a file of the values that it gets.
void write_packer_group(Context& context, size_t group);

}  // namespace slipway::google
