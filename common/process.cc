// Running a child process with a deadline.
#include "common/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "common/error.h"
#include "common/fd.h"
#include "common/text.h"

namespace slipway {
namespace {

using Clock = std::chrono::steady_clock;

// In the child: never returns. What goes wrong before exec is told through `report` as an errno.
[[noreturn]] void become(char* const* argv, int in, int out, int err, int report) {
  ::setpgid(0, 0);
  // Whoever waits for it is killed: nobody wants what it does any more.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(in, 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  unblock_signals();
  ::signal(SIGPIPE, SIG_DFL);
  ::execvp(argv[0], argv);
  const int code = errno;
  [[maybe_unused]] const ssize_t n = ::write(report, &code, sizeof code);
  ::_exit(127);
}

// Writes once; closes when all is written or the child no longer reads.
void feed(Fd& fd, std::string_view& left) {
  const ssize_t n = ::write(fd.get(), left.data(), left.size());
  if (n > 0) left.remove_prefix(static_cast<size_t>(n));
  if (left.empty() || (n < 0 && errno != EINTR && errno != EAGAIN)) fd.reset();
}

// Waits for the end of a child without reaping it. False when `end` comes first.
bool ends_until(pid_t child, Clock::time_point end) {
  const Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  if (!pidfd) return true;  // no way to wait with a deadline: the caller waits without one
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return false;
    pollfd fd = {pidfd.get(), POLLIN, 0};
    if (::poll(&fd, 1, static_cast<int>(left.count())) > 0) return true;
  }
}

}  // namespace

void unblock_signals() {
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

bool redirect_streams(const std::filesystem::path& log) {
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const Fd out(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  const int code = errno;
  ::dup2(null.get(), 0);
  for (int stream : {1, 2}) ::dup2(out ? out.get() : null.get(), stream);
  errno = code;
  return static_cast<bool>(out);
}

int exit_code_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

ProcessResult run_process(const std::vector<std::string>& argv, const ProcessOptions& options) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);

  Pipe in = make_pipe(), out = make_pipe(), err = make_pipe(), report = make_pipe();
  const pid_t child = ::fork();
  if (child < 0) throw_errno(fmt::format("cannot start {}", argv[0]));
  if (child == 0)
    become(words.data(), in.read.get(), out.write.get(), err.write.get(), report.write.get());
  in.read.reset();
  out.write.reset();
  err.write.reset();
  report.write.reset();

  int exec_error = 0;
  const bool failed =
      ::read(report.read.get(), &exec_error, sizeof exec_error) == sizeof exec_error;
  if (failed) {
    ::waitpid(child, nullptr, 0);
    throw_errno(fmt::format("cannot start {}", argv[0]), exec_error);
  }

  struct sigaction ignore = {}, before = {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &before);  // a child that does not read its stdin is not our end

  ProcessResult result;
  std::string_view input = options.input;
  ::fcntl(in.write.get(), F_SETFL, O_NONBLOCK);
  if (input.empty()) in.write.reset();
  const auto end = Clock::now() + options.deadline;
  while (out.read || err.read) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) {
      result.timed_out = true;
      break;
    }
    // poll() passes over negative descriptors, which is what a closed Fd is.
    pollfd fds[] = {
        {out.read.get(), POLLIN, 0}, {err.read.get(), POLLIN, 0}, {in.write.get(), POLLOUT, 0}};
    if (::poll(fds, 3, static_cast<int>(left.count())) < 0 && errno != EINTR) throw_errno("poll");
    if (fds[0].revents != 0) read_some(out.read, result.output);
    if (fds[1].revents != 0) read_some(err.read, result.errors);
    if (fds[2].revents != 0) feed(in.write, input);
  }
  // It may have closed its streams and go on.
  if (!result.timed_out && !ends_until(child, end)) result.timed_out = true;
  if (result.timed_out) ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = exit_code_of(status);
  ::sigaction(SIGPIPE, &before, nullptr);
  return result;
}

std::string run_checked(const std::vector<std::string>& argv, const ProcessOptions& options) {
  ProcessResult result = run_process(argv, options);
  if (result.ok()) return std::move(result.output);
  const std::string how =
      result.timed_out ? "did not end in time" : fmt::format("exit status {}", result.exit_code);
  throw Error(fmt::format("`{}` failed ({}): {}", join(argv, " "), how, trim(result.errors)));
}

}  // namespace slipway
