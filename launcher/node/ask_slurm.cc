// Asks slurmctld again if it does not answer.
#include "launcher/node/ask_slurm.h"

#include <chrono>
#include <thread>

#include "common/error.h"
#include "common/process.h"

namespace slipway::node {

std::string ask_slurm(const std::vector<std::string>& argv) {
  using namespace std::chrono_literals;
  constexpr int most_tries = 3;
  for (int tries = 1;; ++tries) {
    try {
      return run_checked(argv, {.input = "", .deadline = 15s});
    } catch (const Error&) {
      if (tries == most_tries) throw;
      std::this_thread::sleep_for(2s);
    }
  }
}

}  // namespace slipway::node
