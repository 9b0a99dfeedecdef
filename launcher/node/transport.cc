// The transport's daemon, which runs beside jobs.
#include "launcher/node/transport.h"

#include <fmt/core.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "common/error.h"
#include "common/fd.h"
#include "common/file.h"
#include "common/file_lock.h"
#include "common/process.h"
#include "common/process_stat.h"
#include "common/socket_probe.h"
#include "common/tcp.h"
#include "common/text.h"
#include "launcher/node/service.h"

namespace slipway::node {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto patience_with_sigterm = 10s;

// Minimum time for the command that removes a daemon's leftovers.
constexpr auto min_stop_time = 5s;

// Maximum time for the command that asks a daemon whether it serves.
constexpr auto query_time = 5s;

// A process, identified so that another process with a reused ID is not mistaken for it.
struct Process {
  pid_t pid = 0;
  std::string start;  // from ProcessStat
};

std::string start_of(pid_t pid) {
  const auto stat = process_stat(pid);
  return stat && stat->state != 'Z' ? stat->start : "";
}

bool lives(const Process& process) {
  return process.pid > 0 && !process.start.empty() && start_of(process.pid) == process.start;
}

// This node's daemon, and the jobs that need it.
class Daemon {
 public:
  Daemon(const NodeTransport::Daemon& daemon, const TransportPlaces& places)
      : daemon_(daemon), places_(places) {
    make_directories(jobs());
    // The prologs of two jobs may run at the same time.
    lock_ = lock_within(places.state / "lock", left());
    if (!lock_) {
      throw Error(fmt::format("another job's prolog or epilog has been busy with {} for too long",
                              daemon_.name));
    }
  }

  void start_for(const std::string& job, const std::string& nodes) {
    const Process running = recorded();
    const bool runs = lives(running);
    if (runs && !daemon_.nodes_file.empty() && served_nodes() != nodes) {
      fmt::print(stderr,
                 "slipway node transport: {} serves another job with other nodes; job {} goes "
                 "without\n",
                 daemon_.name, job);
      return;
    }
    if (runs) link_log_of(job);
    if (!runs) begin(job, nodes);
    write_file(jobs() / job, "");
    try {
      wait_until_it_serves(runs ? running : recorded());
    } catch (const Error&) {
      stop_for(job);
      throw;
    }
  }

  void stop_for(const std::string& job) {
    std::error_code none;
    fs::remove(jobs() / job, none);
    if (!fs::is_empty(jobs())) return;
    end();
  }

 private:
  fs::path jobs() const { return places_.state / "jobs"; }
  fs::path record() const { return places_.state / "process"; }
  fs::path log_of(const std::string& job) const {
    return places_.logs / fmt::format("{}-{}.log", daemon_.name, job);
  }

  Process recorded() const {
    if (!fs::exists(record())) return {};
    const std::vector<std::string> words = split(trim(read_file(record())), ' ');
    if (words.size() != 3) return {};
    return {static_cast<pid_t>(std::atoi(words[0].c_str())), words[1]};
  }

  std::string served_nodes() const {
    return fs::exists(daemon_.nodes_file) ? read_file(daemon_.nodes_file) : "";
  }

  // The log that the running daemon writes to: that of the job that started it.
  fs::path current_log() const {
    const std::vector<std::string> words = split(trim(read_file(record())), ' ');
    return words.size() == 3 ? log_of(words[2]) : fs::path();
  }

  void link_log_of(const std::string& job) const {
    std::error_code there;
    if (const fs::path log = current_log(); log != log_of(job)) {
      fs::create_symlink(log.filename(), log_of(job), there);
    }
  }

  // There is one log for each job; remove logs after two weeks.
  void remove_old_logs() const {
    std::error_code gone;
    const auto oldest = fs::file_time_type::clock::now() - std::chrono::days(14);
    for (const auto& entry : fs::directory_iterator(places_.logs, gone)) {
      if (!entry.path().filename().native().starts_with(daemon_.name + "-")) continue;
      // A link counts as old as its target, or may be dangling.
      const auto written = fs::last_write_time(entry.path(), gone);
      if (gone || written < oldest) fs::remove(entry.path(), gone);
    }
  }

  void begin(const std::string& job, const std::string& nodes) {
    end();  // cleans up after a daemon that died
    if (!daemon_.nodes_file.empty()) {
      make_directories(fs::path(daemon_.nodes_file).parent_path());
      write_file(daemon_.nodes_file, nodes);
    }
    if (daemon_.socket.starts_with('/')) make_directories(fs::path(daemon_.socket).parent_path());
    make_directories(places_.logs);
    remove_old_logs();
    const pid_t pid = start_service({daemon_.command, "root", log_of(job), ""});
    write_file(record(), fmt::format("{} {} {}\n", pid, start_of(pid), job));
  }

  bool serves() const {
    if (!daemon_.socket.empty()) return socket_answers(daemon_.socket);
    if (!daemon_.query.empty()) {
      const ProcessResult answer =
          run_process(daemon_.query, {.input = "", .deadline = query_time});
      return answer.ok() && answer.output.find(daemon_.query_says) != std::string::npos;
    }
    if (daemon_.log_says.empty()) return true;
    const fs::path log = current_log();
    return fs::exists(log) && read_file(log).find(daemon_.log_says) != std::string::npos;
  }

  std::chrono::milliseconds left() const {
    return std::max(std::chrono::ceil<std::chrono::milliseconds>(end_ - Clock::now()), 1ms);
  }

  void wait_until_it_serves(const Process& process) const {
    const auto end = std::min(end_, Clock::now() + std::chrono::seconds(daemon_.deadline_seconds));
    for (;;) {
      ::waitpid(process.pid, nullptr, WNOHANG);  // in case it is our child
      if (!lives(process)) {
        throw Error(fmt::format("{} ended before it was ready; its output: {}", daemon_.name,
                                last_lines(current_log(), 3)));
      }
      if (serves()) return;
      if (Clock::now() > end) {
        throw Error(fmt::format("{} was not ready within {} s; its output: {}", daemon_.name,
                                daemon_.deadline_seconds, last_lines(current_log(), 3)));
      }
      std::this_thread::sleep_for(20ms);
    }
  }

  void end() const {
    if (!fs::exists(record())) return;
    const Process process = recorded();
    if (lives(process)) {
      ::kill(process.pid, SIGTERM);
      const auto end = std::min(end_, Clock::now() + patience_with_sigterm);
      while (lives(process) && Clock::now() < end) {
        ::waitpid(process.pid, nullptr, WNOHANG);
        std::this_thread::sleep_for(20ms);
      }
      if (lives(process)) ::kill(-process.pid, SIGKILL);
    }
    if (!daemon_.stop.empty())
      run_process(
          daemon_.stop,
          {.input = "", .deadline = std::max(left(), std::chrono::milliseconds(min_stop_time))});
    std::error_code none;
    fs::remove(record(), none);
  }

  const NodeTransport::Daemon& daemon_;
  const TransportPlaces& places_;
  const Clock::time_point end_ =
      Clock::now() + std::chrono::seconds(daemon_.deadline_seconds) + places_.patience;
  Fd lock_;
};

}  // namespace

void start_daemon_for(const std::string& job, const NodeTransport::Daemon& daemon,
                      const TransportPlaces& places, const std::vector<std::string>& nodes) {
  Daemon(daemon, places).start_for(job, nodes.empty() ? "" : join(nodes, "\n") + "\n");
}

std::vector<std::string> addresses_of_nodes(const std::vector<std::string>& nodes) {
  std::vector<std::string> addresses;
  for (const std::string& node : nodes) {
    const Addresses found = slipway::addresses_of(node, 0);
    addresses.push_back(ipv4_text(found->ai_addr));
  }
  return addresses;
}

void stop_daemon_for(const std::string& job, const NodeTransport::Daemon& daemon,
                     const TransportPlaces& places) {
  if (fs::exists(places.state)) Daemon(daemon, places).stop_for(job);
}

fs::path archive_of(const std::string& image, const ContainerPlaces& places) {
  const std::string name = fs::path(image).filename();
  return places.archives / (name.substr(0, name.find_first_of(":@")) + ".tar.gz");
}

void pull_images(const NodeTransport::Daemon& daemon, const ContainerPlaces& places) {
  for (const std::string& image : daemon.images) {
    const auto is_there = [&] {
      return run_process({places.docker, "image", "inspect", image}).ok();
    };
    if (is_there()) continue;
    // An older archive has another version of the container: then it is pulled.
    const fs::path archive = archive_of(image, places);
    if (fs::exists(archive)) run_process({places.docker, "load", "--quiet", "--input", archive});
    if (!is_there()) run_checked({places.docker, "pull", "--quiet", image});
  }
}

bool names_several(const std::string& nodes) {
  return nodes.find_first_of(",[") != std::string::npos;
}

}  // namespace slipway::node
