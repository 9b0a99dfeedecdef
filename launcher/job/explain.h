// What `slipway launch` sets for the tasks of a job, for the launcher and for --explain.
#pragma once

#include "launcher/job/frameworks.h"
#include "launcher/job/launch.h"

namespace slipway::job {

// The variables for the command of `options`, in this process's environment. Throws UsageError if
// the framework is unknown, and Error if the catalog cannot be read.
TaskVariables task_variables(const LaunchOptions& options);

// The first attempt of the allocation that this process runs in, as far as it can be known before:
// its nodes without the spares. Outside of one, two nodes with made-up names. Throws Error.
World explained_world(const LaunchOptions& options);

}  // namespace slipway::job
