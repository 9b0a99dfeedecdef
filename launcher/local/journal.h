// What a change of a deployment that runs is about to do, and how far it is: change.json in the
// deployment's folder, from the moment that the supervisor takes the change on to its end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/local/deployment_folder.h"
#include "launcher/local/plan.h"

namespace slipway::local {

struct Journal {
  enum class Phase {
    asked,  // Slurm has at most been told to give some nodes no jobs
    going,  // the deployment becomes `wanted`, and nothing but a failure stops that
    back,   // it failed, and the deployment becomes again what it was
  };

  Phase phase = Phase::asked;
  Plan wanted;
  bool force = false;             // stop nodes also when jobs run on them
  int timeout_seconds = 60;       // for what the change waits for
  bool adopted = false;           // in this phase: the supervisor goes by the new plan
  std::vector<std::string> held;  // nodes that Slurm was told to give no jobs
  std::string why;                // it goes back

  // Nothing when no change is under way. Throws Error when it cannot be read.
  static std::optional<Journal> read(const DeploymentFolder& folder);
  void write(const DeploymentFolder& folder) const;
};

void remove_journal(const DeploymentFolder& folder);

// The plan that the deployment goes by, and its description for `slipway status`. A deployment
// without it does not stand: its first deploy has not ended, or its destroy has begun.
Plan plan_in_force(const DeploymentFolder& folder);
void put_in_force(const Plan& plan, const DeploymentFolder& folder);
bool stands(const DeploymentFolder& folder);

}  // namespace slipway::local
