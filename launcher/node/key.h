// The key that munge needs.
#pragma once

#include <string>

namespace slipway::node {

// 128 bytes from the kernel: munge asks for 32 at least and 1024 at most. Throws Error when there
// are none.
std::string random_key();

}  // namespace slipway::node
