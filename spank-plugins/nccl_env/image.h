// What a container image changed in a task's environment, and what becomes of it. Does not depend
// on Slurm.
#pragma once

#include <string>
#include <vector>

#include "spank-plugins/nccl_env/preflight.h"
#include "spank-plugins/nccl_env/resolve.h"

namespace slipway::nccl_env {

// The decisions for a task, once an image has been applied to its environment. `job` is the
// environment of the step before that, without our variables; `now` is the task's.
//
// What we set and what the user set or removed holds. Our folder comes first in the image's
// LD_LIBRARY_PATH, whose other folders the image's programs need. NCCL variables that only the
// image sets stay, and LD_PRELOAD, with the image as their origin.
Resolution under_image(const Resolution& decided, const Environment& job, const Environment& now);

// What the job has to know about these decisions: variables that the image alone decides.
std::vector<Finding> image_findings(const Resolution& resolution);

// The job has to know which variables of an image won: `expected` are the values that we and the
// user set, `seen` is the environment of the program. Empty if all of them hold.
std::vector<std::string> lost_to_image(const Resolution& resolution, const Environment& users,
                                       const Environment& seen);

}  // namespace slipway::nccl_env
