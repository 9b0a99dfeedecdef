// A file lock that is released when its holder ends, however it ends.
#pragma once

#include <chrono>
#include <filesystem>

#include "common/fd.h"

namespace slipway {

// Creates the file if necessary, and locks it while the Fd is open (flock). Returns an empty Fd if
// another process holds the lock. Children do not inherit it. Throws Error with the path.
Fd try_lock(const std::filesystem::path& path);

// The same, but waits up to `limit` for the lock; then returns an empty Fd.
Fd lock_within(const std::filesystem::path& path, std::chrono::milliseconds limit);

}  // namespace slipway
