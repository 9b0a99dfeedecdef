// Generates a munge key.
#pragma once

#include <string>

namespace slipway::node {

// 128 random bytes from the kernel; munge accepts 32 to 1024. Throws Error if the kernel provides
// none.
std::string random_key();

}  // namespace slipway::node
