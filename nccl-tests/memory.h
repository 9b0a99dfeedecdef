// How much memory a process on this node can still allocate.
#pragma once

#include <cstdint>
#include <filesystem>

namespace slipway::bandwidth {

// Bytes that a process can allocate without swapping and without being killed: the kernel's
// MemAvailable, or what the tightest control group (v2) around this process leaves, whichever is
// less. Slurm sets such a limit for each job if it limits memory. `root` is the parent of /proc and
// /sys. Throws Error if /proc/meminfo has no MemAvailable.
int64_t available_memory_bytes(const std::filesystem::path& root = "/");

}  // namespace slipway::bandwidth
