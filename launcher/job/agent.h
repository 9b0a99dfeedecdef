// The launcher's agent on a node: starts and ends the node's tasks, and tells how they do.
#pragma once

namespace slipway::job {

// By these variables an agent finds its launcher and is believed; its tasks do not get them.
inline constexpr const char* launcher_variable = "SLIPWAY_LAUNCHER";  // host:port
inline constexpr const char* token_variable = "SLIPWAY_LAUNCH_TOKEN";
inline constexpr const char* mpi_variable = "SLIPWAY_LAUNCH_MPI";              // pmix or none
inline constexpr const char* heartbeat_variable = "SLIPWAY_LAUNCH_HEARTBEAT";  // seconds

// Runs until the launcher says that it is over, or has not been heard of for a heartbeat: then
// everything that runs here is ended. Returns the exit status. Throws Error when there is no
// launcher.
int run_agent();

}  // namespace slipway::job
