// Where Slurm, on the controller of a local cluster, asks for nodes to be started and stopped.
#pragma once

#include <string>
#include <vector>

#include "common/fd.h"
#include "launcher/local/node_root.h"
#include "launcher/node/power.h"

namespace slipway::local {

// The supervisor's side. A folder `power` below `run`, with a socket that is bound and listened to;
// both are SlurmUser's alone.
Fd listen_for_power(const std::filesystem::path& run);

// What the controller mounts to reach it.
BindMount power_mount(const std::filesystem::path& run);

// Whether the other end of a connection may ask for power: root of the cluster, or SlurmUser.
bool may_ask_for_power(const Fd& connection);

// Slurm's side, in the controller: starts (`on`) or stops nodes, and waits until that is done.
// Throws Error when the supervisor cannot be asked.
std::vector<node::Failed> change_power(const std::vector<std::string>& nodes, bool on);

}  // namespace slipway::local
