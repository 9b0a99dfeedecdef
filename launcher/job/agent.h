// The launcher's agent on a node: starts and ends the node's tasks, and tells how they do.
#pragma once

namespace slipway::job {

// By these variables an agent finds its launcher, and both prove who they are; its tasks do not get
// them. The key never leaves the environment, which only the job's user can read.
inline constexpr const char* launcher_variable = "SLIPWAY_LAUNCHER";           // host:port
inline constexpr const char* key_variable = "SLIPWAY_LAUNCH_KEY";              // 64 hex digits
inline constexpr const char* mpi_variable = "SLIPWAY_LAUNCH_MPI";              // pmix or none
inline constexpr const char* restarts_variable = "SLIPWAY_LAUNCH_RESTARTS";    // of the job
inline constexpr const char* ledger_variable = "SLIPWAY_LAUNCH_LEDGER";        // absolute path
inline constexpr const char* heartbeat_variable = "SLIPWAY_LAUNCH_HEARTBEAT";  // seconds

// Runs until the launcher says that it is over, or has not been heard of for a heartbeat: then
// everything that runs here is ended, and the job given back when the launcher's node is dead.
// Returns the exit status. Throws Error when there is no launcher.
int run_agent();

}  // namespace slipway::job
