// Changes a running deployment to match another blueprint.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "common/interrupts.h"
#include "launcher/local/deployment_folder.h"
#include "launcher/local/deployment_lock.h"
#include "launcher/local/launch.h"
#include "launcher/local/plan.h"

namespace slipway::local {

// The plan of an existing deployment; empty if it does not exist. Throws Error if another
// version of Slipway made it.
std::optional<Plan> current_plan(const DeploymentFolder& folder);

// Finishes what an interrupted command began: removes a deployment whose first deploy or whose
// destroy did not finish, or completes or rolls back a change. Reports to `say`. Throws Error if
// that fails.
void settle(const DeploymentFolder& folder, const DeploymentLock& lock,
            const std::function<void(const std::string& line)>& say);

// Makes only the changes that `wanted` (made with the current plan) asks for; jobs on other nodes
// continue. Another image comes step by step, and a block that does not come up with it goes back
// (image_change.h). Reports the changes before making them. Refuses to stop nodes with jobs unless
// forced; Slurm then treats these nodes as failed. The supervisor makes the change, continues if
// the caller is interrupted or killed, and rolls back a change that fails. Throws Error.
Launched redeploy(const Plan& wanted, const DeploymentFolder& folder, const LaunchOptions& options,
                  const DeploymentLock& lock, const Interrupts& interrupts);

}  // namespace slipway::local
