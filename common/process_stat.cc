// Reads /proc/PID/stat and waits for children.
#include "common/process_stat.h"

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <system_error>
#include <thread>

#include "common/error.h"
#include "common/fd.h"
#include "common/file.h"
#include "common/pidfd.h"
#include "common/text.h"

namespace slipway {
namespace {

using Clock = std::chrono::steady_clock;

bool has_ended(pid_t child) {
  siginfo_t info = {};
  const int error = ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT);
  return error != 0 || info.si_pid != 0;
}

}  // namespace

std::optional<ProcessStat> parse_process_stat(std::string_view text) {
  // The name precedes the state, and may contain anything, even parentheses.
  const size_t name_ends = text.rfind(')');
  if (name_ends == text.npos) return std::nullopt;
  const std::vector<std::string> fields = split(trim(text.substr(name_ends + 1)), ' ');
  constexpr size_t start_time = 19;  // field 22, counted from the state
  if (fields.size() <= start_time || fields[0].size() != 1) return std::nullopt;
  return ProcessStat{fields[0][0], fields[start_time]};
}

std::optional<ProcessStat> process_stat(pid_t pid) {
  try {
    return parse_process_stat(read_file(fmt::format("/proc/{}/stat", pid)));
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<ProcessorTime> processor_time(pid_t pid) {
  try {
    const auto words = split(trim(read_file(fmt::format("/proc/{}/schedstat", pid))), ' ');
    const auto ran = to_number<int64_t>(words.at(0));
    const auto waited = to_number<int64_t>(words.at(1));
    if (!ran || !waited) return std::nullopt;
    return ProcessorTime{std::chrono::nanoseconds(*ran), std::chrono::nanoseconds(*waited)};
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

bool is_name_of_daemon(std::string_view process, std::string_view daemon) {
  constexpr std::string_view of_debian = "-wlm";
  return process == daemon ||
         (process.starts_with(daemon) && process.substr(daemon.size()) == of_debian);
}

std::vector<pid_t> processes_named(const std::string& name, const std::filesystem::path& proc) {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(proc, ignored)) {
    const auto pid = to_number<pid_t>(entry.path().filename().string());
    if (!pid) continue;
    try {
      if (is_name_of_daemon(trim(read_file(entry.path() / "comm")), name)) found.push_back(*pid);
    } catch (const Error&) {
      // It has just ended.
    }
  }
  return found;
}

bool ends_within(pid_t child, std::chrono::milliseconds limit) {
  if (const Fd process = open_pidfd(child)) return ends_within(process, limit);
  // It is gone, or this kernel has no pidfds: check repeatedly.
  const auto end = Clock::now() + limit;
  while (!has_ended(child)) {
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace slipway
