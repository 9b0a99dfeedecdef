// The launcher's agent on a node: starts and ends the node's tasks, and reports on them.
#pragma once

namespace slipway::job {

// Runs until the launcher ends the job or is silent for a heartbeat interval. Then ends everything
// that runs on this node and, if the launcher's node is dead, requeues the job. Returns the exit
// status. Throws Error if it cannot reach the launcher.
int run_agent();

}  // namespace slipway::job
