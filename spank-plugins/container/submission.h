// The plugin in srun, sbatch and salloc: takes the options, and reports mistakes while the user is
// there to read them.
#pragma once

#include <optional>

#include "spank-plugins/container/options.h"
#include "spank-plugins/container/settings.h"

namespace slipway::container::submission {

// Empty: plugstack.conf is invalid, which the nodes report, too.
void begin(std::optional<Settings> settings);

// Returns 0, or -1 if the command must fail.
int take_option(const OptionRow& option, const char* value);

// After the options: reads PYXIS_CONTAINER_*, and warns of what has no effect. Returns 0 or -1.
int check();

}  // namespace slipway::container::submission
