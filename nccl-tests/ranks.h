// What ranks tell each other about themselves when they meet.
#pragma once

#include <string>
#include <vector>

#include "nccl-tests/backend.h"

namespace slipway::bandwidth {

// This process as a rank in host memory, as a line of text.
std::string introduce_myself();
// The same of one on a GPU.
std::string introduce_myself(int device, const std::string& device_id,
                             const std::string& device_name);

// The ranks of all introductions, in order.
std::vector<RankInfo> read_introductions(const std::vector<std::string>& introductions);

// Of `all`, those at the places of `members`, numbered anew.
std::vector<RankInfo> subset(const std::vector<RankInfo>& all, const std::vector<int>& members);

}  // namespace slipway::bandwidth
