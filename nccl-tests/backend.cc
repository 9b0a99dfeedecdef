// What every backend has in common: counting hosts.
#include "nccl-tests/backend.h"

#include <algorithm>
#include <set>

namespace slipway::bandwidth {

int host_count(const std::vector<RankInfo>& ranks) {
  std::set<std::string> hosts;
  for (const RankInfo& rank : ranks) hosts.insert(rank.host);
  return static_cast<int>(hosts.size());
}

int ranks_on_host_of(int rank, const std::vector<RankInfo>& ranks) {
  const std::string& host = ranks.at(static_cast<size_t>(rank)).host;
  return static_cast<int>(std::ranges::count(ranks, host, &RankInfo::host));
}

}  // namespace slipway::bandwidth
