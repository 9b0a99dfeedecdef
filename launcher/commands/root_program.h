// For verbs that services of a node or Slurm run as root: they trust nothing of their caller.
#pragma once

#include <string>

namespace slipway::commands {

// Throws Error unless we are root.
void require_root();

// Replaces the environment, which may be a user's or a job's, by our own.
void forget_environment();

// The same for the file mode mask and the working folder. Throws Error.
void forget_the_caller();

// Writes a line with the time to stderr. Several processes may share the log.
void log_line(const std::string& what);

}  // namespace slipway::commands
