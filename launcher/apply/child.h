// A program that works for minutes and must not be ended before it has put down what it did:
// Terraform, Packer.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "common/interrupts.h"

namespace slipway::apply {

struct ChildOptions {
  std::filesystem::path folder;  // that it runs in
  std::filesystem::path log;     // what it writes to stderr is appended; empty: nowhere
  std::vector<std::pair<std::string, std::string>> environment;  // beside ours
  // Called with each line of its stdout, without the line feed; unset: they are the result's
  // `output`.
  std::function<void(const std::string&)> on_line;
  // Called with its process id before the program begins. If we are killed first, it never does.
  std::function<void(pid_t)> before_start;
  std::function<void()> on_interrupt;  // called when the user has interrupted us
};

struct ChildResult {
  int exit_code = 0;  // 128 + signal number when a signal ended it
  bool interrupted = false;
  std::string output;
  std::string errors;  // what it wrote to stderr
  bool ok() const { return exit_code == 0 && !interrupted; }
};

// Runs argv[0], which is a path, in a process group of its own: a Ctrl-C of the terminal reaches it
// once, through us. An interrupt becomes its SIGINT, and so does our own death; it is waited for.
// It writes into memory, not into pipes: were we killed, its next word would end it before it has
// kept what it did. Throws Error when it cannot be started.
ChildResult run_child(const std::vector<std::string>& argv, const ChildOptions& options,
                      const Interrupts& interrupts);

// When the process began, in the kernel's own count; empty when there is no such process. Together
// with its id this names a process for good.
std::string began(pid_t process);

}  // namespace slipway::apply
