// Runs a command of `slipway node` again and again, on machines without systemd's timers.
#pragma once

#include <chrono>
#include <functional>

namespace slipway::commands {

// Reports an error again only if it changes.
[[noreturn]] void run_every(std::chrono::seconds pause, const std::function<void()>& run);

}  // namespace slipway::commands
