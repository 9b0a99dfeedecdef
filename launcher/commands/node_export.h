// `slipway node export`: loads finished jobs into BigQuery.
#pragma once

#include "launcher/commands/commands.h"

namespace slipway::commands {

int node_export(Args args);

}  // namespace slipway::commands
