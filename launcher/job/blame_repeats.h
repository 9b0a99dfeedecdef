// Compares a failure with earlier failures of the same job.
#pragma once

#include <vector>

#include "launcher/job/blame.h"
#include "launcher/job/failure_words.h"

namespace slipway::job {

// Blames the application if the failure did not stay on its node, or the node if the failure stayed
// there more often than chance explains. `before` are the verdicts on earlier failures, oldest
// first.
void compare_with_before(Verdict& verdict, const Evidence& evidence,
                         const std::vector<Verdict>& before, const FailureWords& words);

}  // namespace slipway::job
