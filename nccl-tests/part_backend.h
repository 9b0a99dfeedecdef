// Several groups of ranks that run at the same time, each by itself: nccl-tests' NCCL_TESTS_SPLIT.
#pragma once

#include <memory>
#include <optional>

#include "nccl-tests/backend.h"

namespace slipway::bandwidth {

// The group of `rank` by NCCL_TESTS_SPLIT_MASK (hexadecimal; ranks with the same bits under the
// mask) or NCCL_TESTS_SPLIT ("AND", "OR", "MOD" or "DIV" and a number, or their signs: "% 4").
// Empty if neither is set. Throws Error for anything else, where nccl-tests takes group 0.
std::optional<int> group_in_environment(int rank);

// Operations run in this rank's group; barrier(), combine() and share() are of all. Returns `all`
// itself if there are no groups. Collective.
std::unique_ptr<Backend> in_groups(std::unique_ptr<Backend> all);

}  // namespace slipway::bandwidth
