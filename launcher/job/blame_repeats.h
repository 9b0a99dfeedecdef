// Compares a failure with the earlier ones of its job.
#pragma once

#include <vector>

#include "launcher/job/blame.h"

namespace slipway::job {

// Blames the application when the failure did not stay on its node, or the node when the failure
// stayed there more often than chance explains. `before` are the verdicts of earlier failures, the
// last one last.
void compare_with_before(Verdict& verdict, const Evidence& evidence,
                         const std::vector<Verdict>& before);

}  // namespace slipway::job
