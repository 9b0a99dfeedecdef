// Runs /etc/rc of the image, once for a step on a node, as enroot does.
#pragma once

#include <filesystem>
#include <string>

#include "common/fd.h"
#include "spank-plugins/container/environment.h"

namespace slipway::container {

// How /etc/rc left things: what it exported, and the folder it changed to.
struct EntrypointResult {
  Environment environment;
  std::string workdir;
};

struct EntrypointRun {
  const Environment& environment;
  const Fd& log;         // gets the output; empty: it is dropped
  int line;              // slurmstepd has let go when it is readable
  bool with_entrypoint;  // for the error: without, /etc/rc ends before its entrypoint
};

// Executes `/bin/sh /etc/rc` in the container, the caller's root, with a command that stops itself:
// when /etc/rc executes it, the command's environment and folder are those of the step's tasks.
// Throws Error if /etc/rc ends instead, or is still running when slurmstepd lets go.
EntrypointResult run_entrypoint(const EntrypointRun& run);

// Opens the log as the user, on the node. Empty for an empty path. Throws Error.
Fd open_entrypoint_log(const std::filesystem::path& path);

// A process's variables, from the text of /proc/PID/environ.
Environment parse_environ(std::string_view text);

}  // namespace slipway::container
