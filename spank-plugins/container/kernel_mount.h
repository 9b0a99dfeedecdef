// A squashfs image mounted by the kernel. root_help.cc checks who may have it.
#pragma once

#include "common/fd.h"

namespace slipway::container {

// As root: a detached mount of `image`, for the user namespace of `process` (a pidfd). The caller
// is moved into that namespace. Empty, with errno set, if a step fails.
Fd kernel_mount(int process, int image);

}  // namespace slipway::container
