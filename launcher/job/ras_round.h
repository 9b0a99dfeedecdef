// One question to NCCL's RAS, through the agents of a few nodes: any process answers for its whole
// job, but the first may be the process that hangs.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "launcher/job/protocol.h"

namespace slipway::job {

class RasRound {
 public:
  // Of an attempt's nodes, those to ask: the first and the last but the suspects.
  std::vector<std::string> begin(int64_t attempt, const std::vector<std::string>& nodes,
                                 const std::vector<std::string>& suspects);
  void hear(const std::string& node, const RasSaid& said);
  // All have answered, or it takes too long.
  bool is_over() const;
  // "NCCL's RAS: rank 1 of 2 does not answer (process 7 on n1)"; empty if there is no RAS. RAS
  // knows addresses: `names` has the nodes of known ones.
  std::string words(const std::map<std::string, std::string>& names) const;

 private:
  int64_t attempt_ = 0;
  std::set<std::string> asked_;  // without an answer
  bool answered_ = false;
  std::vector<std::string> findings_;
  std::chrono::steady_clock::time_point end_;
};

}  // namespace slipway::job
