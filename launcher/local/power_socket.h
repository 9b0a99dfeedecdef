// The socket through which Slurm, on a local cluster's controller, has nodes started and stopped.
#pragma once

#include <string>
#include <vector>

#include "common/fd.h"
#include "launcher/local/node_root.h"
#include "launcher/node/power.h"

namespace slipway::local {

// The supervisor's side: makes a folder `power` below `run` with a listening socket, both
// accessible to SlurmUser only.
Fd listen_for_power(const std::filesystem::path& run);

// The mount that gives the controller access to the socket.
BindMount power_mount(const std::filesystem::path& run);

// Whether the peer may request power changes: the cluster's root or SlurmUser.
bool may_ask_for_power(const Fd& connection);

// Slurm's side, on the controller: starts (`on`) or stops nodes and waits until that is done.
// Throws Error if the supervisor cannot be asked.
std::vector<node::Failed> change_power(const std::vector<std::string>& nodes, bool on);

}  // namespace slipway::local
