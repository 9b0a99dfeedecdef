// The supervisor of a local deployment: PID 1 of its namespaces.
#pragma once

#include <string>

#include "common/fd.h"
#include "launcher/local/deployment_folder.h"
#include "launcher/local/local_node.h"
#include "launcher/local/plan.h"

namespace slipway::local {

struct SupervisorStart {
  const Plan* plan = nullptr;
  const DeploymentFolder* folder = nullptr;
  NodeSurroundings surroundings;
  Fd lock;      // the deployment's, held until the supervisor ends
  Fd listener;  // the control socket, bound
  Fd deployer;  // to `slipway deploy`: progress goes there; until it says {"keep": true} its end is
                // the cluster's end
  Fd image;     // held, so that nobody removes what the nodes run from
};

// Starts the networks and the nodes, then answers the control socket until it is told to stop.
// Never returns. To be called as PID 1 in new PID, mount, network, UTS and IPC namespaces. When the
// process ends, all of the deployment's processes, mounts and interfaces end with it.
//
// Progress on `deployer`: {"state": "node", "node": name} for each node that started, then
// {"state": "started"}; or {"error": text} and the end. {"keep": true} is answered with {"state":
// "kept"} when the deployment stands, by its plan in force (journal.h).
//
// Requests on the control socket, one a connection:
//   {"request": "status"}                         → {"kept": the deployer said so, "changing": a
//   change is under way, "slurm_silent_since", "nodes": [{"name", "running", "faults"}]}; a
//   "slurm_silent_since" in the request is remembered
//   {"request": "exec", "node": …, NodeCommand}   with stdin, stdout, stderr unless it wants a
//   terminal
//        then {"signal": n} any number of times   → {"exit_code": n}; the end of the connection
//        hangs the command up
//   {"request": "power", "on": …, "nodes": [name]} → {"failed": [{"nodes", "reason"}]}, when the
//   nodes are on, or off. It may also be asked through the socket of power_socket.h.
//   {"request": "change", "force", "timeout_seconds", "points"} with the deployment's lock and the
//   wanted plan (a file of JSON), and {"request": "settle"} with the lock, for a change that did
//   not end → what transaction.h says. Any message then, or the end of the connection, interrupts
//   the change.
//   {"request": "adopt", "off": [name]}, asked by the change that is under way → {"busy": nodes are
//   starting, nothing was done}, when the supervisor has put these nodes off
//   and goes by the plan that the journal is on the way to: nodes of both plans stay as they are,
//   new ones are off, networks are those of the plan, and the nodes know each other's addresses.
//   {"request": "fault", "node": …, "fault": Fault} → {"failed": []}
//   {"request": "clear", "node": …, "which": words, "start": also a node on demand} → the same,
//   when a node whose power is back is on
// An error is answered with {"error": text}.
[[noreturn]] void supervise(SupervisorStart start);

}  // namespace slipway::local
