// Reads the ends of an attempt's tasks: where the failure began, and whether most tasks failed
// alike.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launcher/job/blame.h"
#include "launcher/job/failure_words.h"

namespace slipway::job {

struct ReadEnds {
  const RankEnd* first = nullptr;         // not a consequence of another one; null: no task ended
  Saying said = {};                       // by the first
  std::string message = {};               // how it failed, without what differs from run to run
  int64_t slot = -1;                      // its place on the node; -1: it is the only one there
  int64_t slots = 1;                      // at least so many are there
  std::vector<std::string> origins = {};  // nodes where it may have begun; none: not known
  size_t alike = 0;                       // tasks that failed as the first did
  bool agreed = false;                    // most tasks did, on several nodes: not a node's fault
  std::vector<NodeNote> broken = {};      // nodes whose tasks say that a part of them is broken
};

ReadEnds read_ends(const Evidence& evidence, const FailureWords& words);

// Whether two errors are of one kind. Python exceptions are compared by type: texts differ with
// data.
bool is_alike(const std::string& message, const std::string& other);

}  // namespace slipway::job
