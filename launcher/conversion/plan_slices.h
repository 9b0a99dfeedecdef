// The slices of TPUs that a job needs.
#pragma once

#include "launcher/conversion/plan.h"

namespace slipway::conversion {

// Makes the nodes of a job for TPUs into whole slices, and sets its machine. Reports topologies and
// numbers of nodes that do not exist (E0602), with those that do. Does nothing for other jobs.
void plan_slices(Plan& plan, source::Diagnostics& diagnostics);

}  // namespace slipway::conversion
