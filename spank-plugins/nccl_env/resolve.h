// What becomes of each variable, decided before anything is touched. No Slurm in here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "spank-plugins/nccl_env/advice.h"
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
  std::string advised;               // what the user has something else than, and why that
  std::string advised_why;
  bool differs() const { return !advised_why.empty(); }
};

struct Resolution {
  std::vector<Decision> decisions;    // in the order of the advice, then what is taken back
  std::optional<std::string> marker;  // the value of SLIPWAY_NCCL_ENV; nothing: it is unset
};

// What is advised, for a task that would see `environment`. What the user set wins, and so does
// what the user removed; what we set on another node is replaced. `transport` is for messages.
Resolution resolve(const std::vector<Advice>& advice, const std::string& transport,
                   const Environment& environment);

// As though we had never set anything: what is ours goes; what the user set stays, and the marker
// still says what the user removed.
Resolution take_back(const Environment& environment);

// The variables of NCCL's that are the user's: those that are not ours.
Environment users_own(const Environment& environment);

}  // namespace slipway::nccl_env
