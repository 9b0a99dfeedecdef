// Running a child process: with a deadline, its output collected, never through a shell.
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
};

// Runs argv[0] (looked up in PATH) and waits for it. Throws Error when it cannot be started; a
// non-zero exit is a result, not an error. At the deadline the child's whole process group is
// killed.
ProcessResult run_process(const std::vector<std::string>& argv, const ProcessOptions& options = {});

// run_process, and an Error with the command and its stderr unless it exits with 0. Returns stdout.
std::string run_checked(const std::vector<std::string>& argv, const ProcessOptions& options = {});

// The exit code that a shell would show for a wait status: the exit status, or 128 + the signal's
// number.
int exit_code_of(int wait_status);

// For a child on its way to become something else. No signal is blocked in it any more.
void unblock_signals();

// Its stdin is /dev/null, its stdout and stderr are appended to `log`; false, with errno, when that
// cannot be opened: then they are /dev/null, too.
bool redirect_streams(const std::filesystem::path& log);

}  // namespace slipway
