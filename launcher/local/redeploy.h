// Making another cluster of a deployment that runs.
#pragma once

#include <optional>

#include "common/interrupts.h"
#include "launcher/local/deployment_folder.h"
#include "launcher/local/launch.h"
#include "launcher/local/plan.h"

namespace slipway::local {

// What a deployment that runs was made by; nothing when none of this name runs. Throws Error when
// it was made by another version of slipway.
std::optional<Plan> standing_plan(const DeploymentFolder& folder);

// Changes what `wanted` (made with the standing plan) asks for, and nothing else: jobs on nodes
// that stay go on. Says what changes before anything does. Refuses to stop nodes that jobs run on,
// unless it is forced to: then Slurm takes these jobs for jobs of nodes that failed. One that is
// broken off is finished by the next. Throws Error.
Launched redeploy(const Plan& wanted, const DeploymentFolder& folder, const LaunchOptions& options,
                  const Interrupts& interrupts);

}  // namespace slipway::local
