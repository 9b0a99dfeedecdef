// A lock that its holder's end releases, whatever that end is.
#pragma once

#include <filesystem>

#include "common/fd.h"

namespace slipway {

// Makes the file when it is not there, and locks it for as long as the Fd is open (flock). An empty
// Fd when somebody else holds the lock. Children do not inherit it. Throws Error with the path.
Fd try_lock(const std::filesystem::path& path);

}  // namespace slipway
