// Making another cluster of a deployment that runs.
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

// What a deployment that runs was made by; nothing when none of this name stands. Throws Error when
// it was made by another version of slipway.
std::optional<Plan> standing_plan(const DeploymentFolder& folder);

// Ends what a command that was interrupted has begun: removes a deployment whose first deploy or
// whose destroy did not end, finishes or undoes a change. Says so. Throws Error when that cannot be
// done.
void settle(const DeploymentFolder& folder, const DeploymentLock& lock,
            const std::function<void(const std::string& line)>& say);

// Changes what `wanted` (made with the standing plan) asks for, and nothing else: jobs on nodes
// that stay go on. Says what changes before anything does. Refuses to stop nodes that jobs run on,
// unless it is forced to: then Slurm takes these jobs for jobs of nodes that failed. The supervisor
// makes the change, and goes on with it when we are interrupted or killed; one that fails is
// undone. Throws Error.
Launched redeploy(const Plan& wanted, const DeploymentFolder& folder, const LaunchOptions& options,
                  const DeploymentLock& lock, const Interrupts& interrupts);

}  // namespace slipway::local
