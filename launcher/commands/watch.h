// Keeps the terminal up to date with something that changes, such as `slipway status --watch`.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "launcher/local/status_screen.h"

namespace slipway::commands {

// Shows the lines of `draw` on the alternate screen, every `interval` and whenever the terminal's
// size changes. Returns on SIGINT, SIGTERM or SIGHUP. The terminal is restored then, and when
// `draw` throws.
void watch(std::chrono::milliseconds interval,
           const std::function<std::vector<std::string>(const local::Screen&)>& draw);

}  // namespace slipway::commands
