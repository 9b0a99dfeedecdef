// How much memory a process on this node may still take.
#pragma once

#include <cstdint>
#include <filesystem>

namespace slipway::bandwidth {

// Bytes that can be had without swapping and without being killed: MemAvailable of the kernel, or
// what the tightest control group (v2) around this process leaves, whichever is less. Slurm sets
// one a job where it limits memory. `root` is where /proc and /sys are. Throws Error when the
// kernel does not say.
int64_t available_memory_bytes(const std::filesystem::path& root = "/");

}  // namespace slipway::bandwidth
