// Keeps C++ exceptions out of Slurm, and writes to Slurm's log.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "spank-plugins/spank/api.h"
#include "spank-plugins/spank/release.h"

namespace slipway::spank {

// Logs one line to the user's terminal and slurmd's log: "<plugin>: <text>".
void log_error(const std::string& text);

// Runs the body of a callback and returns its value. An exception becomes one line in the log and
// success: a plugin's own failure never fails a job and never drains a node. Under a Slurm of another
// release, the body does not run.
template <class Body>
int guarded(const char* callback, Body&& body) noexcept {
  // Slurm's logger is C with its own format: it cannot throw.
  if (stands_aside()) return ESPANK_SUCCESS;
  try {
    return std::forward<Body>(body)();
  } catch (const std::exception& error) {
    slurm_error("%s: %s: %s", plugin_name, callback, error.what());
  } catch (...) {
    slurm_error("%s: %s: unknown exception", plugin_name, callback);
  }
  return ESPANK_SUCCESS;
}

}  // namespace slipway::spank
