// Restarts Slurm's daemons, and has them read their files again.
#include "launcher/node/daemon_change.h"

#include <fmt/core.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>

#include "common/error.h"
#include "common/file.h"
#include "common/process.h"
#include "common/process_stat.h"
#include "common/text.h"
#include "launcher/node/accounting.h"
#include "launcher/node/controllers.h"
#include "launcher/node/services.h"

namespace slipway::node {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto longest_change = 60s;

// The process of a daemon by its PID file, or 0: the file may be of a process that has ended.
pid_t daemon_process(const std::string& name) {
  const fs::path file = fmt::format("/run/{}.pid", name);
  if (!fs::exists(file)) return 0;
  const pid_t process = to_number<pid_t>(trim(read_file(file))).value_or(0);
  const fs::path comm = fmt::format("/proc/{}/comm", process);
  const bool is_it =
      process > 1 && fs::exists(comm) && is_name_of_daemon(trim(read_file(comm)), name);
  return is_it ? process : 0;
}

void wait_for_port(const std::string& name, int port, bool listening) {
  const auto end = std::chrono::steady_clock::now() + longest_change;
  while (listens(port) != listening) {
    if (std::chrono::steady_clock::now() > end) {
      throw Error(fmt::format("{} does not {} within {} s", name, listening ? "listen" : "end",
                              longest_change.count()));
    }
    std::this_thread::sleep_for(50ms);
  }
}

// Without systemd: ends a daemon, which saves its state, so that it can be started again.
void end_daemon(const std::string& name, int port) {
  const pid_t process = daemon_process(name);
  if (process == 0) return;
  ::kill(process, SIGTERM);
  wait_for_port(name, port, false);
  const auto end = std::chrono::steady_clock::now() + longest_change;
  while (daemon_process(name) == process) {
    if (std::chrono::steady_clock::now() > end) throw Error(name + " does not end");
    std::this_thread::sleep_for(50ms);
  }
}

void restart_in_foreground(const std::string& name, int port, const std::function<bool()>& ready) {
  const Service service{{"/usr/sbin/" + name, "-D"},
                        "root",
                        fmt::format("{}/{}.out", log_folder, name),
                        name + ".service"};
  if (!has_systemd()) end_daemon(name, port);
  run_service(service, ready, has_systemd() ? IfRunning::restart : IfRunning::keep, 60s);
}

}  // namespace

void restart_slurmctld() {
  restart_in_foreground("slurmctld", slurmctld_port, slurmctld_answers);
}

void stop_slurm() {
  if (!has_systemd()) {
    end_daemon("slurmctld", slurmctld_port);
    end_daemon("slurmd", slurmd_port);
    return;
  }
  for (const char* name : {"slurmctld.service", "slurmd.service"}) {
    if (!run_process({"/bin/systemctl", "cat", name}).ok()) continue;  // not on this machine
    run_checked({"/bin/systemctl", "disable", "--quiet", "--now", name},
                {.input = "", .deadline = longest_change});
  }
}

void restart_slurmdbd(bool waits) {
  if (!waits) {
    restart_in_foreground("slurmdbd", slurmdbd_port, [] { return listens(slurmdbd_port); });
    return;
  }
  const pid_t process = daemon_process("slurmdbd");
  if (!has_systemd() && process > 0) {
    ::kill(process, SIGTERM);
    const auto end = std::chrono::steady_clock::now() + longest_change;
    while (slurmdbd_runs()) {
      if (std::chrono::steady_clock::now() > end) throw Error("slurmdbd does not end");
      std::this_thread::sleep_for(50ms);
    }
  }
  start_slurmdbd(read_file(slurmdbd_conf_path),
                 has_systemd() ? IfRunning::restart : IfRunning::keep, true);
}

void restart_slurmd(const std::vector<std::string>& options) {
  if (!has_systemd()) end_daemon("slurmd", slurmd_port);
  start_daemons("compute", has_systemd() ? IfRunning::restart : IfRunning::keep, options);
  wait_for_port("slurmd", slurmd_port, true);
}

void reload_slurmd() {
  const pid_t process = daemon_process("slurmd");
  if (has_systemd()) {
    run_checked({"/bin/systemctl", "reload", "slurmd.service"},
                {.input = "", .deadline = longest_change});
  } else if (process == 0 || ::kill(process, SIGHUP) != 0) {
    throw Error("slurmd does not run");
  }
  // A daemon that cannot use its files ends a moment later.
  std::this_thread::sleep_for(2s);
  wait_for_port("slurmd", slurmd_port, true);
}

void reload_sackd() {
  if (!has_systemd()) {
    if (const pid_t process = daemon_process("sackd"); process > 0) ::kill(process, SIGHUP);
    return;
  }
  if (!fs::exists("/usr/sbin/sackd")) return;
  run_checked({"/bin/systemctl", "try-reload-or-restart", "sackd.service"},
              {.input = "", .deadline = longest_change});
}

}  // namespace slipway::node
