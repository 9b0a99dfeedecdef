// The state of a process, from /proc/PID/stat (proc_pid_stat(5)), and waiting for its end.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

namespace slipway {

struct ProcessStat {
  char state = 0;     // 'R', 'S', 'D', …; 'Z': it has ended, and its parent has not reaped it yet
  std::string start;  // in ticks since the boot: a reused process number has another one
};

// Nothing when there is no such process.
std::optional<ProcessStat> process_stat(pid_t pid);

// What a process had of the processors since it started: /proc/PID/schedstat
// (Documentation/scheduler/sched-stats.rst).
struct ProcessorTime {
  std::chrono::nanoseconds ran{}, waited{};  // waited: others had them; not yet the wait that lasts
};

// Nothing when there is no such process, or the kernel does not count it.
std::optional<ProcessorTime> processor_time(pid_t pid);

// Waits for the end of a child without reaping it. False when `limit` comes first.
bool ends_within(pid_t child, std::chrono::milliseconds limit);

}  // namespace slipway
