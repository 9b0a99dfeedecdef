// Work that a signal can end at any moment, with a folder that it removes.
#pragma once

#include <filesystem>
#include <functional>

namespace slipway::container {

// Calls `work` in a child with a new empty folder below `parent`, which only the user can read.
// When it ends, and also when SIGINT, SIGTERM or SIGHUP arrives, the child, its programs, the
// folder and the file `unfinished` are removed. What `work` throws is printed by the child; then,
// and after a signal, throws ReportedError. Throws Error if the folder cannot be made.
void run_worker(const std::filesystem::path& parent, const std::filesystem::path& unfinished,
                const std::function<void(const std::filesystem::path&)>& work);

}  // namespace slipway::container
