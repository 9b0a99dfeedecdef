// Changing a deployment that runs into what another blueprint says.
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

// The plan of a deployment that runs; nothing when no deployment of this name stands. Throws Error
// when another version of slipway made it.
std::optional<Plan> standing_plan(const DeploymentFolder& folder);

// Ends what an interrupted command has begun: removes a deployment whose first deploy or whose
// destroy did not end, or finishes or undoes a change, and tells `say`. Throws Error when that
// fails.
void settle(const DeploymentFolder& folder, const DeploymentLock& lock,
            const std::function<void(const std::string& line)>& say);

// Changes what `wanted` (made with the standing plan) asks for, and nothing else: jobs on other
// nodes go on. Reports the changes before it makes them. Refuses to stop nodes with jobs unless it
// is forced; then Slurm treats these nodes as failed. The supervisor makes the change, continues
// when we are interrupted or killed, and undoes a change that fails. Throws Error.
Launched redeploy(const Plan& wanted, const DeploymentFolder& folder, const LaunchOptions& options,
                  const DeploymentLock& lock, const Interrupts& interrupts);

}  // namespace slipway::local
