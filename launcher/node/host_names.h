// Expands Slurm's host lists.
#pragma once

#include <string>
#include <vector>

namespace slipway::node {

// The nodes of a list such as "n-[0-2],m-7", in its order. `scontrol` expands it, without asking
// slurmctld. Throws Error.
std::vector<std::string> host_names(const std::string& list);

}  // namespace slipway::node
