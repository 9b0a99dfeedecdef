// Finds the profiler plugin for NCCL that records collectives for --nccl-watch.
#pragma once

#include <filesystem>

namespace slipway {

// Of the installation that the running program, or the SPANK plugin that asks, belongs to:
// "/opt/slipway/lib/slipway/nccl/libnccl-profiler-slipway.so". Containers get its folder at the
// same place.
std::filesystem::path profiler_library();

}  // namespace slipway
