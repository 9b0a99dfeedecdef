// A terminal that shows something anew again and again.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "launcher/local/status_screen.h"

namespace slipway::commands {

// Calls `draw` every `interval`, and at once when the terminal's size changes, and shows its lines
// in place, on the alternate screen; the terminal is as before when SIGINT, SIGTERM or SIGHUP ends
// it, or when `draw` throws.
void watch(std::chrono::milliseconds interval,
           const std::function<std::vector<std::string>(const local::Screen&)>& draw);

}  // namespace slipway::commands
