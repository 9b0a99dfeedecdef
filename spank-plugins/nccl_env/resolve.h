// What becomes of each variable, decided before anything is touched. No Slurm in here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/node_profile.h"
#include "spank-plugins/nccl_env/marker.h"

namespace slipway::nccl_env {

enum class Action {
  keep,   // as the user has it
  set,    // to `value`, whatever is there
  unset,  // one of our own that is wrong here
};

struct Decision {
  std::string name;
  Action action = Action::keep;
  std::optional<std::string> value;  // what the task will see; nothing when it will not be set
  std::string origin;                // "user", "slipway: transport"
  std::string why;                   // for `--nccl-env=show`
};

struct Resolution {
  std::vector<Decision> decisions;    // in the order of the profile, then what is taken back
  std::optional<std::string> marker;  // the value of SLIPWAY_NCCL_ENV; nothing: it is unset
};

// The variables of the node's transport for a task that would see `environment`. What the user set
// wins, and so does what the user removed; what we set on another node is replaced.
Resolution resolve(const NodeProfile& profile, const Environment& environment);

// As though we had never set anything: what is ours goes; what the user set stays, and the marker
// still says what the user removed.
Resolution take_back(const Environment& environment);

}  // namespace slipway::nccl_env
