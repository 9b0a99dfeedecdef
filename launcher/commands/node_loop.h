// Runs a command of `slipway node` again and again, on machines without systemd's timers.
#pragma once

#include <chrono>
#include <functional>

namespace slipway::commands {

// An error that repeats is reported once.
[[noreturn]] void run_every(std::chrono::seconds pause, const std::function<void()>& run);

}  // namespace slipway::commands
