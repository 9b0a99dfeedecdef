// The launcher's agent on a node: starts and ends the node's tasks, and reports on them.
#pragma once

namespace slipway::job {

// Environment variables that tell an agent where its launcher is, and let both prove who they are.
// Tasks do not get them. Only the job's user can read the environment, and so the key.
inline constexpr const char* launcher_variable = "SLIPWAY_LAUNCHER";           // host:port
inline constexpr const char* key_variable = "SLIPWAY_LAUNCH_KEY";              // 64 hex digits
inline constexpr const char* mpi_variable = "SLIPWAY_LAUNCH_MPI";              // pmix or none
inline constexpr const char* restarts_variable = "SLIPWAY_LAUNCH_RESTARTS";    // of the job
inline constexpr const char* ledger_variable = "SLIPWAY_LAUNCH_LEDGER";        // absolute path
inline constexpr const char* heartbeat_variable = "SLIPWAY_LAUNCH_HEARTBEAT";  // seconds

// Runs until the launcher ends the job or is silent for a heartbeat interval. Then ends everything
// that runs on this node and, if the launcher's node is dead, requeues the job. Returns the exit
// status. Throws Error if it cannot reach the launcher.
int run_agent();

}  // namespace slipway::job
