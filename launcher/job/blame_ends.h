// Of the tasks of an attempt that ended with an error: where it began, and what most of them say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launcher/job/blame.h"
#include "launcher/job/failure_words.h"

namespace slipway::job {

struct ReadEnds {
  const RankEnd* first = nullptr;  // that is not another one's consequence; null: nobody ended
  Saying said = {};                // by the first
  std::string message = {};        // how it failed, without what differs from run to run
  int64_t slot = -1;               // its place on the node; -1: it is the only one there
  int64_t slots = 1;               // at least so many are there
  std::vector<std::string> origins = {};  // nodes where it may have begun; none: not known
  size_t alike = 0;                       // tasks that failed as the first did
  bool agreed = false;                    // most tasks did, on several nodes: no node's fault
  std::vector<NodeNote> broken = {};      // nodes whose tasks say that a part of them is broken
};

ReadEnds read_ends(const Evidence& evidence, const FailureWords& words);

// Two errors of one kind: of Python's exceptions the type counts, as texts differ with the data.
bool is_alike(const std::string& message, const std::string& other);

}  // namespace slipway::job
