// A lock that its holder's end releases, whatever that end is.
#pragma once

#include <chrono>
#include <filesystem>

#include "common/fd.h"

namespace slipway {

// Makes the file when it is not there, and locks it for as long as the Fd is open (flock). An empty
// Fd when somebody else holds the lock. Children do not inherit it. Throws Error with the path.
Fd try_lock(const std::filesystem::path& path);

// The same, but waits for whoever holds it; an empty Fd when that takes longer than `limit`.
Fd lock_within(const std::filesystem::path& path, std::chrono::milliseconds limit);

}  // namespace slipway
