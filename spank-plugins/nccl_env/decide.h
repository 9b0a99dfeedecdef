// What the tasks of a step on this node get, and what is wrong with the node or the job: the whole
// decision, for the plugin and for `slipway job prepare`. Does not depend on Slurm.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/node_profile.h"
#include "spank-plugins/nccl_env/preflight.h"
#include "spank-plugins/nccl_env/resolve.h"
#include "spank-plugins/nccl_env/settings.h"

namespace slipway::nccl_env {

struct Decided {
  Resolution resolution;
  std::vector<Finding> findings;
};

// What the user's options ask for.
struct Asked {
  Mode mode = Mode::on;
  bool watch = false;  // --nccl-watch
};

// `environment` is the step's; `arguments` the administrator's. With Mode::warn, the task keeps its
// environment, so that is what is judged. `digest_of_submission` as in PreflightJob.
Decided decide(const NodeProfile& profile, const Arguments& arguments, const Asked& asked,
               const Environment& environment, const PreflightJob& job);

// The environment as the tasks will see it.
Environment after(const Resolution& resolution, Environment environment);

}  // namespace slipway::nccl_env
