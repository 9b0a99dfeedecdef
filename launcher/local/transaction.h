// Carries out a change of a deployment, step by step, in a child process of the supervisor.
#pragma once

#include <sys/types.h>

#include "common/fd.h"
#include "launcher/local/deployment_folder.h"

namespace slipway::local {

// Continues the change in the journal (journal.h): completes it or rolls it back. `again`: an
// earlier process was killed or failed. Must be called in a child of the supervisor, which serves
// the control socket meanwhile. Sends `client`, which may be gone:
//   {"say": line}
//   {"phase": "going"}    from here on interrupts are ignored: the change is made or rolled back
//   {"phase": "waiting"}  the change is made, and only the wait for idle nodes is left
//   {"done": true, "nodes": number of nodes that were started} or {"error": text}: the last message
// SIGTERM interrupts it before the phase "going". Never throws.
void run_transaction(const DeploymentFolder& folder, const Fd& client, bool again);

}  // namespace slipway::local
