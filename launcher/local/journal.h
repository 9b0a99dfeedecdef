// The journal of a change: the plan that a deployment is changing to, and how far it has come. It
// is change.json in the deployment's folder, from when the supervisor accepts the change to its
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
    asked,  // at most, some nodes were drained
    going,  // the deployment is becoming `wanted`; only a failure stops that
    back,   // it failed, and the deployment is being rolled back
  };

  Phase phase = Phase::asked;
  Plan wanted;
  bool force = false;             // also stop nodes that run jobs
  bool patient = false;           // or else wait until their jobs have ended, however long
  int timeout_seconds = 60;       // limit for everything that the change waits for
  bool adopted = false;           // in this phase: the supervisor has the new plan
  std::vector<std::string> held;  // nodes that were drained for this change
  std::string why;                // why the change is rolled back

  // Empty if no change is in progress. Throws Error if the file cannot be read.
  static std::optional<Journal> read(const DeploymentFolder& folder);
  void write(const DeploymentFolder& folder) const;
};

void remove_journal(const DeploymentFolder& folder);

// The plan of the deployment, and its description for `slipway status`. A deployment without a plan
// is incomplete: its first deploy has not finished, or its destroy has begun.
Plan plan_in_force(const DeploymentFolder& folder);
void put_in_force(const Plan& plan, const DeploymentFolder& folder);
bool is_complete(const DeploymentFolder& folder);

}  // namespace slipway::local
