// For services of a controller: which of two controllers runs Slurm.
#include "launcher/commands/standby.h"

#include <fmt/core.h>

#include <chrono>
#include <string>

#include "common/host_name.h"
#include "common/process.h"
#include "launcher/node/controllers.h"

namespace slipway::commands {

bool is_standby() {
  ProcessOptions options;
  options.deadline = std::chrono::seconds(30);
  const std::string ping = run_process({"scontrol", "ping"}, options).output;
  const std::string name = own_host_name();
  const std::string in_control = node::controller_in_control(ping);
  return !in_control.empty() && in_control != name &&
         ping.find(fmt::format(" at {} is ", name)) != std::string::npos;
}

}  // namespace slipway::commands
