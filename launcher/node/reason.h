// Tells Slurm why nodes could not be provided.
#pragma once

#include <chrono>
#include <string>

#include "launcher/node/power.h"

namespace slipway::node {

// The longest SuspendTimeout in the output of `scontrol --oneliner show partition`; 30 s if it has
// none.
std::chrono::seconds longest_suspend_timeout(const std::string& partitions);

// The same of ResumeTimeout; 60 s if it has none.
std::chrono::seconds longest_resume_timeout(const std::string& partitions);

// A reason in a form that Slurm accepts: one line, short enough for a command's argument.
std::string reason_for_slurm(std::string reason);

// Requeues the nodes' jobs and sets the nodes DOWN with the reason, for `sinfo -R` to show; nodes
// that Slurm does not wait for, such as those that have registered meanwhile, are left alone. After
// SuspendTimeout a separate process powers the nodes down, unless someone has changed their state
// by then, so that Slurm can request them again. Retries up to three times if Slurm does not
// answer. Throws Error.
void tell_slurm(const Failed& failed);

}  // namespace slipway::node
