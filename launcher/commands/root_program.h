// What verbs share that run as root without a person at a terminal: from a service of a node, or
// from Slurm.
#pragma once

#include <string>

namespace slipway::commands {

// Throws Error for anybody but root.
void require_root();

// From here on the environment is our own, and not a user's or a job's.
void forget_environment();

// The same, and our own mask of new files and folder: nothing of the caller decides what a program
// of root's does. Throws Error.
void forget_the_caller();

// A line of a log on stderr, with the time. Several processes may write to the same log.
void log_line(const std::string& what);

}  // namespace slipway::commands
