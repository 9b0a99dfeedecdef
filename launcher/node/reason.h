// Telling Slurm why nodes could not be had.
#pragma once

#include <chrono>
#include <string>

#include "launcher/node/power.h"

namespace slipway::node {

// The longest SuspendTimeout in what `scontrol --oneliner show partition` says, or 30 s without
// any.
std::chrono::seconds longest_suspend_timeout(const std::string& partitions);

// A reason in the form that Slurm accepts: one line, not too long for a command's argument.
std::string reason_for_slurm(std::string reason);

// Their jobs are queued again, and the nodes are DOWN with the reason, for `sinfo -R` to show.
// After SuspendTimeout they are put off, unless somebody has changed their state by then, and can
// be asked for again. A separate process waits for that. Asks Slurm up to three times when it does
// not answer. Throws Error.
void tell_slurm(const Failed& failed);

}  // namespace slipway::node
