// `slipway node reconcile`: brings Slurm and the cloud in agreement.
#pragma once

#include "launcher/commands/commands.h"

namespace slipway::commands {

int node_reconcile(Args args);

}  // namespace slipway::commands
