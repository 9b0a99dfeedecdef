// What srun --container-image needs on a node.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/requirement.h"

namespace slipway::node {

// Whether exactly one plugin gives jobs containers, and has what it needs. `plugstack` is the text
// of plugstack.conf with the files that it includes, `plugin` the file of Slipway's own plugin.
std::vector<Requirement> container_requirements(const std::string& plugstack,
                                                const std::filesystem::path& plugin,
                                                const std::filesystem::path& root);

}  // namespace slipway::node
