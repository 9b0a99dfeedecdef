// The launcher's agent on a node: starts and ends the node's tasks, and reports on them.
#pragma once

namespace slipway::job {

// The environment variables by which an agent finds its launcher, and both prove who they are.
// Tasks do not get them. The key stays in the environment, which only the job's user can read.
inline constexpr const char* launcher_variable = "SLIPWAY_LAUNCHER";           // host:port
inline constexpr const char* key_variable = "SLIPWAY_LAUNCH_KEY";              // 64 hex digits
inline constexpr const char* mpi_variable = "SLIPWAY_LAUNCH_MPI";              // pmix or none
inline constexpr const char* restarts_variable = "SLIPWAY_LAUNCH_RESTARTS";    // of the job
inline constexpr const char* ledger_variable = "SLIPWAY_LAUNCH_LEDGER";        // absolute path
inline constexpr const char* heartbeat_variable = "SLIPWAY_LAUNCH_HEARTBEAT";  // seconds

// Runs until the launcher ends the job or is silent for a heartbeat. Then it ends everything that
// runs here and, when the launcher's node is dead, gives the job back to Slurm. Returns the exit
// status. Throws Error when it cannot find the launcher.
int run_agent();

}  // namespace slipway::job
