// What the programs on a compute node need from it.
#pragma once

#include <filesystem>
#include <vector>

#include "common/requirement.h"

namespace slipway::node {

// What the SPANK plugins, the prolog, the health checks and NCCL need, and whether this machine has
// it. What the node profile does not ask for, such as GPUs, is not listed. Tests use another
// `root`; programs and libraries are always this machine's.
std::vector<Requirement> requirements(const std::filesystem::path& root = "/");

}  // namespace slipway::node
