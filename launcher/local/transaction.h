// Changing a deployment that runs: the steps, in a process of the supervisor's.
#pragma once

#include <sys/types.h>

#include "common/fd.h"
#include "launcher/local/deployment_folder.h"

namespace slipway::local {

// Does what the journal (journal.h) asks for, from where it is: finishes, or undoes, a change.
// `again`: whoever was at it before has been killed, or failed. To be called by a child of the
// supervisor, which serves the control socket meanwhile. Tells `client`, which may be gone:
//   {"say": line}
//   {"phase": "going"}    from here on, interrupts are ignored: the change is made, or undone
//   {"phase": "waiting"}  the change is made, and what is left is to wait for idle nodes
//   {"done": true, "nodes": nodes that were started} or {"error": text}: the last
// SIGTERM interrupts it while that does not leave things half done. Never throws.
void run_transaction(const DeploymentFolder& folder, const Fd& client, bool again);

}  // namespace slipway::local
