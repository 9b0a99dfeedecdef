// Finds processes, reads their state from /proc/PID/stat (proc_pid_stat(5)), and waits for their
// end.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

struct ProcessStat {
  char state = 0;     // 'R', 'S', 'D', …; 'Z': ended, but not reaped by its parent yet
  std::string start;  // in ticks since boot; tells apart processes that reuse a process id
};

// From the text of /proc/PID/stat; empty if it is cut.
std::optional<ProcessStat> parse_process_stat(std::string_view text);

// Empty if there is no such process.
std::optional<ProcessStat> process_stat(pid_t pid);

// The CPU time of a process since it started: /proc/PID/schedstat
// (Documentation/scheduler/sched-stats.rst).
struct ProcessorTime {
  std::chrono::nanoseconds ran{}, waited{};  // waited: runnable while others ran; without the
                                             // current wait
};

// Empty if there is no such process, or the kernel does not count this.
std::optional<ProcessorTime> processor_time(pid_t pid);

// Whether a process with the name `process` (/proc/PID/comm) is the daemon `daemon`. Debian's
// /usr/sbin/slurmd is a link to slurmd-wlm, and a reconfigured slurmd executes itself again, by
// that name (seen with 24.11).
bool is_name_of_daemon(std::string_view process, std::string_view daemon);

// The processes whose program is the daemon of this name (15 characters at most, as the kernel
// keeps no more), in no order. Any user may give a program any name: check the owner before
// trusting it.
std::vector<pid_t> processes_named(const std::string& name,
                                   const std::filesystem::path& proc = "/proc");

// Waits for the end of a child without reaping it. False if `limit` comes first.
bool ends_within(pid_t child, std::chrono::milliseconds limit);

}  // namespace slipway
