// Supervises a node's services from its PID 1.
#include "launcher/node/service_supervisor.h"

#include <fmt/core.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "common/error.h"
#include "common/file.h"
#include "common/text.h"
#include "launcher/node/service_record.h"

namespace slipway::node {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds first_pause = 1s, longest_pause = 30s;
// slurmctld writes its state when it ends. If it is stopped or hangs, it never ends.
constexpr milliseconds longest_end = 30s;
constexpr const char* ended_for_restart = "restart";

struct Supervised {
  Service service;
  pid_t pid = 0;  // 0 if it is not running
  Clock::time_point begun;
  std::optional<Clock::time_point> due;
  milliseconds pause = first_pause;  // before the next start, if it fails
  // Set while it is being restarted: when to kill it if it has not ended by then.
  std::optional<Clock::time_point> restart;

  std::string name() const { return std::filesystem::path(service.argv[0]).filename().string(); }
};

std::vector<Supervised>& all() {
  static std::vector<Supervised> services;
  return services;
}

// Writes a line to the node's log.
void note(const std::string& what) {
  fmt::print(stderr, "{}\n", what);
  std::fflush(stderr);
}

// Whether a service ended normally or by a signal that asks it to end, as in systemd.service(5),
// Restart=.
bool ended_as_asked(int status) {
  if (WIFEXITED(status)) return WEXITSTATUS(status) == 0;
  const int number = WTERMSIG(status);
  return number == SIGHUP || number == SIGINT || number == SIGTERM || number == SIGPIPE;
}

void begin(Supervised& supervised, pid_t pid, std::chrono::system_clock::time_point since) {
  supervised.pid = pid;
  supervised.begun = Clock::now();
  supervised.due.reset();
  make_directories(running_services);
  write_file(std::filesystem::path(running_services) / supervised.name(), fmt::format("{}\n", pid));
  write_service_record(log_folder, supervised.name(), {true, since, ""});
}

bool is_held(const Supervised& supervised) {
  return std::filesystem::exists(std::filesystem::path(held_services) / supervised.name());
}

// Whether a restart was requested; removes the request.
bool takes_restart(const Supervised& supervised) {
  std::error_code ignored;
  return std::filesystem::remove(std::filesystem::path(restarted_services) / supervised.name(),
                                 ignored);
}

// The process of a running service, or 0.
pid_t process_of(const std::string& name) try {
  const std::string text = read_file(std::filesystem::path(running_services) / name);
  return to_number<pid_t>(trim(text)).value_or(0);
} catch (const Error&) {
  return 0;
}

// The file that a daemon's stdout and stderr go to; munged and mariadbd have them in their log.
std::filesystem::path log_of(const std::string& name) {
  const std::filesystem::path out = fmt::format("{}/{}.out", log_folder, name);
  if (std::filesystem::exists(out)) return out;
  return fmt::format("{}/{}.log", log_folder, name);
}

}  // namespace

void supervise_service(const Service& service, pid_t pid,
                       std::chrono::system_clock::time_point since) {
  Supervised supervised;
  supervised.service = service;
  all().push_back(std::move(supervised));
  begin(all().back(), pid, since);
}

void child_ended(pid_t pid, int status) {
  const auto found = std::ranges::find(all(), pid, &Supervised::pid);
  if (pid <= 0 || found == all().end()) return;
  found->pid = 0;
  std::error_code ignored;
  std::filesystem::remove(std::filesystem::path(running_services) / found->name(), ignored);
  const std::string how = WIFEXITED(status) ? fmt::format("status {}", WEXITSTATUS(status))
                                            : fmt::format("signal {}", WTERMSIG(status));
  write_service_record(
      log_folder, found->name(),
      {false, std::chrono::system_clock::now(), found->restart ? ended_for_restart : how});
  if (found->restart) {
    note(fmt::format("{} ended ({}) and will be restarted", found->name(), how));
    found->restart.reset();
    found->due = Clock::now();
    return;
  }
  if (ended_as_asked(status)) {
    note(fmt::format("{} ended on request ({})", found->name(), how));
    return;
  }
  if (Clock::now() - found->begun > 1min) found->pause = first_pause;
  note(fmt::format("{} failed ({}); restarting it in {} s", found->name(), how, found->pause / 1s));
  found->due = Clock::now() + found->pause;
  found->pause = std::min(2 * found->pause, longest_pause);
}

milliseconds start_due_services() {
  std::optional<Clock::time_point> next;
  for (Supervised& supervised : all()) {
    if (supervised.restart && *supervised.restart <= Clock::now()) {
      note(fmt::format("{} did not end within {} s; killing it", supervised.name(),
                       longest_end / 1s));
      ::kill(supervised.pid, SIGKILL);
      *supervised.restart = Clock::now() + longest_end;
    }
    if (supervised.restart)
      next = next ? std::min(*next, *supervised.restart) : *supervised.restart;
    if (!supervised.due) continue;
    if (*supervised.due <= Clock::now() && is_held(supervised)) {
      supervised.due.reset();  // start_all_services() makes it due again
    } else if (*supervised.due <= Clock::now()) {
      try {
        const auto since = std::chrono::system_clock::now();
        begin(supervised, start_service(supervised.service), since);
      } catch (const Error& error) {
        note(error.what());
        supervised.due = Clock::now() + longest_pause;
      }
    }
    if (supervised.due) next = next ? std::min(*next, *supervised.due) : *supervised.due;
  }
  if (!next) return -1ms;
  return std::max(0ms, std::chrono::ceil<milliseconds>(*next - Clock::now()));
}

void start_all_services() {
  for (Supervised& supervised : all()) {
    const bool restart = takes_restart(supervised);
    if (supervised.pid == 0) {
      supervised.due = Clock::now();
    } else if (restart && !supervised.restart) {
      supervised.restart = Clock::now() + longest_end;
      ::kill(supervised.pid, SIGTERM);
    }
  }
}

void restart_service(const std::string& name, const std::function<bool()>& ready,
                     std::chrono::seconds limit) {
  const pid_t before = process_of(name);
  const auto asked = std::chrono::system_clock::now();
  make_directories(restarted_services);
  write_file(std::filesystem::path(restarted_services) / name, "");
  ::kill(1, SIGHUP);
  const auto is_back = [&] {
    const pid_t now = process_of(name);
    if (now > 0 && now != before && ready()) return true;
    // A program with a wrong configuration would end at once, again and again.
    const ServiceRecord record = read_service_records(log_folder)[name];
    if (record.runs || record.since <= asked || record.how == ended_for_restart) return false;
    throw Error(fmt::format("{} ended right after it was started ({}); its last output: {}", name,
                            record.how, last_lines(log_of(name), 4)));
  };
  wait_until(is_back, limit, fmt::format("{} was not ready again", name));
}

void hold_service(const std::string& name, std::chrono::seconds limit) {
  make_directories(held_services);
  write_file(std::filesystem::path(held_services) / name, "");
  const pid_t pid = process_of(name);
  if (pid <= 0) return;
  ::kill(pid, SIGTERM);
  wait_until([&] { return process_of(name) != pid; }, limit, fmt::format("{} does not end", name));
}

void release_service(const std::string& name) {
  std::filesystem::remove(std::filesystem::path(held_services) / name);
  ::kill(1, SIGHUP);
}

}  // namespace slipway::node
