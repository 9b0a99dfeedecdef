// The steps of a change, in a process of the supervisor's.
#pragma once

#include <sys/types.h>

#include "common/fd.h"
#include "launcher/local/deployment_folder.h"

namespace slipway::local {

// Continues the change in the journal (journal.h): finishes or undoes it. `again`: an earlier
// process was killed, or failed. To be called by a child of the supervisor, which serves the
// control socket meanwhile. Tells `client`, which may be gone:
//   {"say": line}
//   {"phase": "going"}    from here on, interrupts are ignored: the change is made, or undone
//   {"phase": "waiting"}  the change is made, and what is left is to wait for idle nodes
//   {"done": true, "nodes": nodes that were started} or {"error": text}: the last
// SIGTERM interrupts it before it begins in earnest. Never throws.
void run_transaction(const DeploymentFolder& folder, const Fd& client, bool again);

}  // namespace slipway::local
