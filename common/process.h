// Runs child processes with a deadline, never through a shell, and collects their output.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace slipway {

struct ProcessResult {
  int exit_code = 0;       // 0 to 255; 128 + signal number when a signal ended it
  bool timed_out = false;  // the deadline passed and the child was killed
  std::string output;      // what it wrote to stdout
  std::string errors;      // what it wrote to stderr
  bool ok() const { return exit_code == 0 && !timed_out; }
};

struct ProcessOptions {
  std::string input;  // given to its stdin
  std::chrono::milliseconds deadline{std::chrono::minutes(10)};
  std::string program = {};  // what to run if it is not argv[0], which then is only its name
};

// Runs argv[0] or the program of the options, looked up in PATH, and waits for it. Throws Error if
// it cannot be started; a non-zero exit code is not an error. At the deadline, the child's whole
// process group is killed.
ProcessResult run_process(const std::vector<std::string>& argv, const ProcessOptions& options = {});

// Like run_process(), but throws an Error with the command and its stderr unless the exit code is
// 0. Returns stdout.
std::string run_checked(const std::vector<std::string>& argv, const ProcessOptions& options = {});

// The exit code that a shell would show for a wait status: the exit status, or 128 + signal number.
int exit_code_of(int wait_status);

// Unblocks all signals; for a child before it executes another program.
void unblock_signals();

// Redirects stdin from /dev/null, and appends stdout and stderr to `log`. If it cannot be opened,
// returns false with errno set, and stdout and stderr are /dev/null.
bool redirect_streams(const std::filesystem::path& log);

}  // namespace slipway
