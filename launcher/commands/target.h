// The values of --target.
#pragma once

#include <string>

namespace slipway::commands {

// Throws UsageError unless the target is `local`, `google`, `hosts` or empty.
void require_target(const std::string& target);

}  // namespace slipway::commands
