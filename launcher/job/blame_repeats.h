// What it says that a failure was not the first one of its job.
#pragma once

#include <vector>

#include "launcher/job/blame.h"

namespace slipway::job {

// Blames the application when the failure did not stay with its node, or the node when it stayed
// there more often than chance would have it. `before` are the verdicts of earlier failures, the
// last one last.
void compare_with_before(Verdict& verdict, const Evidence& evidence,
                         const std::vector<Verdict>& before);

}  // namespace slipway::job
