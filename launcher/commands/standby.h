// For services of a controller: which of two controllers runs Slurm.
#pragma once

namespace slipway::commands {

// Whether this machine is a controller that only waits until the other one fails.
bool is_standby();

}  // namespace slipway::commands
