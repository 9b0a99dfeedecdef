// Commands that ask or tell slurmctld something.
#pragma once

#include <string>
#include <vector>

namespace slipway::node {

// The output of such a command. slurmctld may be busy or just restart: tries three times, for at
// most 15 seconds each. Throws Error.
std::string ask_slurm(const std::vector<std::string>& argv);

}  // namespace slipway::node
