// Runs Terraform and Packer, which work for minutes and must not be killed before they have saved
// their state.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "common/interrupts.h"

namespace slipway::apply {

struct ChildOptions {
  std::filesystem::path folder;  // working directory
  std::filesystem::path log;     // its stderr is appended to this file; may be empty
  std::vector<std::pair<std::string, std::string>> environment;  // in addition to ours
  // Called with each line of its stdout, without the line feed. If unset, stdout becomes the
  // result's `output`.
  std::function<void(const std::string&)> on_line;
  // Called with its process id before the program starts. If we are killed first, it never starts.
  std::function<void(pid_t)> before_start;
  std::function<void()> on_interrupt;  // called when the user interrupts us
};

struct ChildResult {
  int exit_code = 0;  // 128 + signal number if a signal ended it
  bool interrupted = false;
  std::string output;
  std::string errors;  // its stderr
  bool ok() const { return exit_code == 0 && !interrupted; }
};

// Runs argv[0], which is a path, in a new process group, so that Ctrl-C in the terminal reaches it
// only once, through us. An interrupt or our death sends it SIGINT; an interrupt then waits for it.
// It writes to memory files, not pipes: if we are killed, writing to a pipe would kill it before it
// has saved its state. Throws Error if it cannot be started.
ChildResult run_child(const std::vector<std::string>& argv, const ChildOptions& options,
                      const Interrupts& interrupts);

// The start time of a process in the kernel's clock ticks, or empty if there is no such process.
// Together with the process id, it identifies a process uniquely.
std::string start_time_of(pid_t process);

}  // namespace slipway::apply
