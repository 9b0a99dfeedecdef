// Reads how an attempt's tasks ended: where the failure began, and whether most tasks failed the
// same way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launcher/job/blame.h"
#include "launcher/job/failure_words.h"

namespace slipway::job {

struct ReadEnds {
  const RankEnd* first = nullptr;         // the root failure; null: no task ended
  Diagnosis diagnosis = {};               // what the first printed
  std::string message = {};               // how it failed, without details that vary between runs
  int64_t slot = -1;                      // its slot on the node; -1: the node's only task
  int64_t slots = 1;                      // slots on the node, at least
  std::vector<std::string> origins = {};  // nodes where it may have begun; empty: unknown
  size_t alike = 0;                       // tasks that failed like the first
  bool agreed = false;                    // most did, on several nodes: not a node's fault
  std::vector<NodeNote> broken = {};      // nodes whose tasks report broken hardware
};

ReadEnds read_ends(const Evidence& evidence, const FailureWords& words);

}  // namespace slipway::job
