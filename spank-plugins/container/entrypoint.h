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

// Executes `/bin/sh /etc/rc` in the container, the caller's root, with a command that stops itself:
// when /etc/rc executes it, the command's environment and folder are those of the step's tasks.
// Writes the output to `log`, or drops it if that is empty. Throws Error if /etc/rc ends instead,
// or is still running when `line` becomes readable: slurmstepd has let go.
EntrypointResult run_entrypoint(const Environment& environment, const Fd& log, int line);

// Opens the log as the user, on the node. Empty for an empty path. Throws Error.
Fd open_entrypoint_log(const std::filesystem::path& path);

// A process's variables, from the text of /proc/PID/environ.
Environment parse_environ(std::string_view text);

}  // namespace slipway::container
