// How the agent prepares its process before it starts tasks.
#pragma once

#include "common/fd.h"

namespace slipway::job {

// Blocks the signals that the job sends to all processes of its steps, which are meant for the
// tasks, and SIGCHLD; they are read from the descriptor, a signalfd(2).
Fd task_signals();

// Slurm may have bound the agent, a single task, to some of the step's CPUs. The tasks need all.
void take_all_cpus();

}  // namespace slipway::job
