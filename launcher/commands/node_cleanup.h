// `slipway node cleanup`: deletes the machines that a cluster's Slurm started.
#pragma once

#include "launcher/commands/commands.h"

namespace slipway::commands {

int node_cleanup(Args args);

}  // namespace slipway::commands
