// Decides what happens to each variable, before changing any. Does not depend on Slurm.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "spank-plugins/nccl_env/advice.h"
#include "spank-plugins/nccl_env/marker.h"

namespace slipway::nccl_env {

enum class Action {
  keep,   // leave the user's value
  set,    // to `value`, whatever was there
  unset,  // our own value, which is wrong here
};

struct Decision {
  std::string name;
  Action action = Action::keep;
  std::optional<std::string> value;  // what the task will see; empty: not set
  std::string origin;                // "user", "slipway: transport"
  std::string why;                   // for `--nccl-env=show`
  std::string advised;               // if the user's value differs: the recommended one, and why
  std::string advised_why;
  bool differs() const { return !advised_why.empty(); }
};

struct Resolution {
  std::vector<Decision> decisions;    // in the order of the advice, then removals
  std::optional<std::string> marker;  // the value of SLIPWAY_NCCL_ENV; empty: unset it
};

// Applies the advice to a task that would see `environment`. What the user set wins, and so does
// what the user removed; what we set on another node is replaced. `transport` is for messages.
Resolution resolve(const std::vector<Advice>& advice, const std::string& transport,
                   const Environment& environment);

// Undoes what we set: our values go, the user's stay, and the marker still records what the user
// removed.
Resolution take_back(const Environment& environment);

// The NCCL variables in `environment` that the user set, not we.
Environment users_own(const Environment& environment);

}  // namespace slipway::nccl_env
