// What JobSet does when a pod has failed.
#pragma once

#include <cstdint>
#include <string>

#include "launcher/pods/job_set.h"

namespace slipway::pods {

// The reason for which the Job of such a pod fails: "BackoffLimitExceeded" or "PodFailurePolicy".
// Empty: the rules ignore the failure, and the pod runs again.
std::string reason_of_failure(const JobSet& set, const std::string& container, int64_t code);

struct Decision {
  bool restart = false;
  bool counts = true;  // the restart is one of maxRestarts
  std::string rule;    // that decided; empty: maxRestarts alone
};

// `restarts`: those that counted so far.
Decision decide(const JobSet& set, const std::string& reason, int64_t restarts);

}  // namespace slipway::pods
