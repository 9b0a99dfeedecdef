// How ranks describe themselves to each other.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "nccl-tests/backend.h"

namespace slipway::bandwidth {

// Describes this process, a rank in host memory, in one line of text.
std::string describe_this_rank();
// Describes this process, a rank on a GPU.
std::string describe_this_rank(int device, const std::string& device_id,
                               const std::string& device_name);

// The ranks of all descriptions, in order.
std::vector<RankInfo> parse_rank_descriptions(const std::vector<std::string>& descriptions);

// "0-3,7" of ranks in order.
std::string rank_ranges(const std::vector<size_t>& ranks);

// "3 on node-0, 11-12 on node-1"; `hosts` by rank. Only the first hosts are named if there are
// many.
std::string ranks_by_host(const std::vector<size_t>& ranks, const std::vector<std::string>& hosts);

// The ranks of `all` whose numbers are in `members`, renumbered from 0.
std::vector<RankInfo> subset(const std::vector<RankInfo>& all, const std::vector<int>& members);

}  // namespace slipway::bandwidth
