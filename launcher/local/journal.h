// The journal of a change: what a deployment is to become, and how far the change is. It is
// change.json in the deployment's folder, from the moment the supervisor accepts the change to its
// end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/local/deployment_folder.h"
#include "launcher/local/plan.h"

namespace slipway::local {

struct Journal {
  enum class Phase {
    asked,  // at most, Slurm was told to give some nodes no jobs
    going,  // the deployment becomes `wanted`; only a failure stops that
    back,   // it failed, and the deployment goes back to what it was
  };

  Phase phase = Phase::asked;
  Plan wanted;
  bool force = false;             // stop nodes also when jobs run on them
  int timeout_seconds = 60;       // for everything that the change waits for
  bool adopted = false;           // in this phase: the supervisor has the new plan
  std::vector<std::string> held;  // nodes that Slurm was told to give no jobs
  std::string why;                // the change goes back

  // Nothing when no change is under way. Throws Error when it cannot be read.
  static std::optional<Journal> read(const DeploymentFolder& folder);
  void write(const DeploymentFolder& folder) const;
};

void remove_journal(const DeploymentFolder& folder);

// The plan of the deployment, and its description for `slipway status`. A deployment without a plan
// does not stand: its first deploy has not ended, or its destroy has begun.
Plan plan_in_force(const DeploymentFolder& folder);
void put_in_force(const Plan& plan, const DeploymentFolder& folder);
bool stands(const DeploymentFolder& folder);

}  // namespace slipway::local
