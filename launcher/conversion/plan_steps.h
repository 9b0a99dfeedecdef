// Whether the steps of a job can run one after the other in the same pods.
#pragma once

#include "launcher/conversion/plan.h"

namespace slipway::conversion {

// Reports steps in the background, and steps that ask for other nodes, tasks or containers than the
// first (E0602). Takes the number of tasks from them.
void check_steps(const job_script::JobScript& job, Plan& plan, source::Diagnostics& diagnostics);

}  // namespace slipway::conversion
