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

// Locks of an open file (fcntl(2), F_OFD_…), which end with it and its copies. `type` is F_RDLCK,
// F_WRLCK or F_UNLCK. Unlike flock(2), one keeps everybody else out only if the file was opened for
// writing. False if others have a lock that forbids it, or for any other reason.
bool try_lock(const Fd& file, short type);

// The same, but waits until the others have no such lock.
bool wait_for_lock(const Fd& file, short type);

// The locks of this kind, or of POSIX's, that others have: F_RDLCK, F_WRLCK or F_UNLCK.
short locks_of_others(const Fd& file);

}  // namespace slipway
