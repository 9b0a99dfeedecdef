// Runs a command of `slipway node` again and again.
#include "launcher/commands/node_loop.h"

#include <string>
#include <thread>

#include "launcher/commands/root_program.h"

namespace slipway::commands {

void run_every(std::chrono::seconds pause, const std::function<void()>& run) {
  std::string said;
  for (;;) {
    try {
      run();
      said.clear();
    } catch (const std::exception& error) {
      // slurmctld may be restarting.
      if (said != error.what()) log_line(error.what());
      said = error.what();
    }
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace slipway::commands
