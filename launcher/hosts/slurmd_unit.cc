// Reads what systemd says about slurmd.
#include "launcher/hosts/slurmd_unit.h"

#include <fmt/core.h>

#include "common/text.h"

namespace slipway::hosts {
namespace {

constexpr const char* unit = "slurmd.service";

std::string property(const std::string& text, const std::string& name) {
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with(name + "=")) return line.substr(name.size() + 1);
  }
  return "";
}

}  // namespace

std::vector<std::string> ask_for_slurmd_unit() {
  return {"systemctl", "show", "--property=ActiveState,KillMode", unit};
}

std::string why_not_restart(const NodeAnswer& answer) {
  if (!answer.problem.empty()) return answer.problem;
  if (property(answer.text, "ActiveState") != "active") {
    return fmt::format("it does not run as {}", unit);
  }
  // systemd.kill(5): the others also end what slurmd started, and jobs with it.
  const std::string kill_mode = property(answer.text, "KillMode");
  if (kill_mode == "process" || kill_mode == "none") return "";
  return fmt::format("{} has KillMode={}, which ends jobs; KillMode=process does not", unit,
                     kill_mode);
}

std::vector<std::string> restart_slurmd_unit() {
  return {"systemctl", "restart", unit};
}

}  // namespace slipway::hosts
