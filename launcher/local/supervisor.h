// The supervisor of a local deployment: PID 1 of its namespaces. It starts the nodes and serves the
// control socket.
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
  Fd deployer;  // to `slipway deploy`, for progress; if it closes before {"keep": true}, the
                // cluster ends
};

// Starts the networks and the nodes, then serves the control socket until it is killed. Never
// returns. Must be called as PID 1 in new PID, mount, network, UTS and IPC namespaces. When the
// process ends, all of the deployment's processes, mounts and interfaces end with it.
//
// Progress on `deployer`: {"state": "node", "node": name} for each node that started, then
// {"state": "started"}; or {"error": text}, and the supervisor ends. {"keep": true} is answered
// with
// {"state": "kept"} once the deployment has its plan in force (journal.h).
//
// Requests on the control socket, one for each connection:
//   {"request": "status"}
//     → {"kept": whether the deployer sent "keep", "changing": whether a change is in progress,
//        "slurm_silent_since", "nodes": [{"name", "running", "faults"}]}. A "slurm_silent_since" in
//        the request is remembered.
//   {"request": "exec", "node": …, NodeCommand}   with stdin, stdout and stderr unless it wants a
//   terminal; then {"signal": n} any number of times
//     → {"exit_code": n}. If the connection ends, the command is hung up.
//   {"request": "power", "on": …, "nodes": [name]}   also accepted on the socket of power_socket.h
//     → {"failed": [{"nodes", "reason"}]} when the nodes are on, or off.
//   {"request": "change", "force", "patient", "timeout_seconds", "points"} with the deployment's lock and the
//   wanted plan (a file of JSON); or {"request": "settle"} with the lock, for an unfinished change
//     → the messages in transaction.h. Any further message, or the end of the connection,
//     interrupts
//        the change.
//   {"request": "adopt", "off": [name]}, from the process of the change in progress
//     → {"busy": true if nodes are starting, in which case nothing was done}. The supervisor has
//        powered off these nodes and switched to the plan that the journal is moving to: nodes in
//        both plans keep their state, new ones are off, networks are the plan's, and the nodes know
//        each other's addresses.
//   {"request": "fault", "node": …, "fault": Fault}
//     → {"failed": []}
//   {"request": "clear", "node": …, "which": words, "start": also start an on-demand node}
//     → the same, once a node whose power is back is on.
// An error is answered with {"error": text}.
[[noreturn]] void supervise(SupervisorStart start);

}  // namespace slipway::local
