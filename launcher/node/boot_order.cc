// Waits for what jobs need of a compute node.
#include "launcher/node/boot_order.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "common/error.h"
#include "common/file.h"
#include "common/interfaces.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/node/service.h"

namespace slipway::node {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* startup_unit = "google-startup-scripts.service";
constexpr auto longest_wait_for_networks = 120s;
constexpr std::string_view device_volume = "--volume=/dev/";

std::string value_of(const std::string& properties, const std::string& name) {
  for (const std::string& line : split(properties, '\n')) {
    if (line.starts_with(name + "=")) return line.substr(name.size() + 1);
  }
  return "";
}

StartupScript ask_systemd() {
  if (!has_systemd()) return StartupScript::absent;
  const ProcessResult answer =
      run_process({"/bin/systemctl", "show", "--property=LoadState,ActiveState,Job", startup_unit},
                  {.input = "", .deadline = 10s});
  return answer.ok() ? startup_script_state(answer.output) : StartupScript::running;
}

std::chrono::seconds script_age() {
  const ProcessResult answer = run_process(
      {"/bin/systemctl", "show", "--property=InactiveExitTimestampMonotonic", startup_unit},
      {.input = "", .deadline = 10s});
  // systemd's monotonic times are those of the steady clock.
  const auto uptime = std::chrono::steady_clock::now().time_since_epoch();
  return answer.ok()
             ? startup_script_age(answer.output,
                                  std::chrono::duration_cast<std::chrono::microseconds>(uptime))
             : 0s;
}

// The result stays until the machine restarts, so that the next try does not believe that the
// script ended well.
void end_startup_script(std::chrono::seconds limit, const fs::path& result) {
  run_checked({"/bin/systemctl", "stop", startup_unit}, {.input = "", .deadline = 120s});
  make_directories(result.parent_path());
  write_file(result, fmt::format("it took longer than {} s and was ended\n", limit.count()));
}

// The interfaces with an IPv4 address.
std::set<std::string> interfaces_with_address() {
  std::set<std::string> names;
  for (const Ipv4Interface& one : ipv4_interfaces()) names.insert(one.name);
  return names;
}

}  // namespace

StartupScript startup_script_state(const std::string& properties) {
  if (value_of(properties, "LoadState") != "loaded") return StartupScript::absent;
  const std::string job = value_of(properties, "Job");
  if (!job.empty() && job != "0") return StartupScript::running;
  const std::string state = value_of(properties, "ActiveState");
  return state == "activating" || state == "reloading" ? StartupScript::running
                                                       : StartupScript::done;
}

std::chrono::seconds startup_script_age(const std::string& properties,
                                        std::chrono::microseconds uptime) {
  const auto start =
      to_number<int64_t>(value_of(properties, "InactiveExitTimestampMonotonic")).value_or(0);
  if (start <= 0) return 0s;
  return std::chrono::duration_cast<std::chrono::seconds>(uptime -
                                                          std::chrono::microseconds(start));
}

void wait_for_startup_script(const Patience& patience, std::chrono::seconds limit,
                             const fs::path& result) {
  persist(patience, "the startup script", [&] {
    if (ask_systemd() != StartupScript::running) return;
    if (limit > 0s && script_age() > limit) {
      end_startup_script(limit, result);
      return;
    }
    throw NotYet("google-startup-scripts.service runs");
  });
  if (!fs::exists(result)) return;
  const std::string said(trim(read_file(result)));
  if (said == "done") return;
  throw Error(fmt::format(
      "the startup script failed: {}; see `journalctl --unit={}`, then restart that and "
      "slipway-node.service",
      said, startup_unit));
}

void wait_for_networks(const Patience& patience, const NodeProfile& profile,
                       const MachineMetadata& self) {
  const size_t count = std::min(profile.network_interfaces.size(), self.interfaces.size());
  const auto end = std::chrono::steady_clock::now() + longest_wait_for_networks;
  const Patience here{std::min(patience.end, end), patience.say};
  try {
    persist(here, "the addresses of network interfaces", [&] {
      const std::set<std::string> names = interfaces_with_address();
      for (size_t i = 0; i < count; ++i) {
        const std::string& name = profile.network_interfaces[i].name;
        // warn_of_interfaces reports interfaces with other names.
        if (fs::exists("/sys/class/net/" + name) && names.count(name) == 0) {
          throw NotYet(fmt::format("{} has none", name));
        }
      }
    });
  } catch (const Error& error) {
    patience.say(fmt::format("{}; the boot continues", error.what()));
  }
}

std::vector<std::string> devices_of(const NodeTransport::Daemon& daemon) {
  std::vector<std::string> devices;
  for (const std::string& word : daemon.command) {
    if (!word.starts_with(device_volume)) continue;
    const size_t start = word.find('/');
    devices.push_back(word.substr(start, word.find(':', start) - start));
  }
  return devices;
}

void wait_for_devices(const Patience& patience, const NodeTransport::Daemon& daemon,
                      const fs::path& root) {
  for (const std::string& device : devices_of(daemon)) {
    persist(patience, device, [&] {
      if (!fs::exists(root / fs::path(device).relative_path())) {
        throw NotYet(fmt::format("{} needs it; is its kernel module loaded?", daemon.name));
      }
    });
  }
}

}  // namespace slipway::node
