// Runs child processes with a deadline.
#include "common/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <mutex>

#include <fmt/core.h>

#include "common/child.h"
#include "common/error.h"
#include "common/fd.h"
#include "common/pidfd.h"
#include "common/process_stat.h"
#include "common/text.h"

namespace slipway {
namespace {

using Clock = std::chrono::steady_clock;

// Runs in the child and never returns. It sends the errno of a failure before exec through
// `report`.
[[noreturn]] void become(const char* program, char* const* argv, int in, int out, int err,
                         int report) {
  ::setpgid(0, 0);
  // If the waiting parent is killed, the child's work is no longer needed.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(in, 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  unblock_signals();
  ::signal(SIGPIPE, SIG_DFL);
  ::execvp(program, argv);
  const int code = errno;
  [[maybe_unused]] const ssize_t n = ::write(report, &code, sizeof code);
  ::_exit(127);
}

// Writes once; closes `fd` when everything is written or the child no longer reads.
void feed(Fd& fd, std::string_view& left) {
  const ssize_t n = ::write(fd.get(), left.data(), left.size());
  if (n > 0) left.remove_prefix(static_cast<size_t>(n));
  if (left.empty() || (n < 0 && errno != EINTR && errno != EAGAIN)) fd.reset();
}

struct Child {
  pid_t pid = 0;
  Fd in, out, err;      // the parent's ends of its streams
  Fd report;            // closed by exec
  std::string failure;  // read from `report`: the errno of an exec that failed, as bytes
};

Child start(const std::vector<std::string>& argv, const std::string& program) {
  std::vector<std::string> copy = argv;
  const std::vector<char*> words = pointers(copy);
  Pipe in = make_pipe(), out = make_pipe(), err = make_pipe(), report = make_pipe();
  const pid_t pid = fork_child(argv[0]);
  if (pid == 0) {
    become(program.empty() ? words[0] : program.c_str(), words.data(), in.read.get(),
           out.write.get(), err.write.get(), report.write.get());
  }
  ::fcntl(in.write.get(), F_SETFL, O_NONBLOCK);
  return {
      pid, std::move(in.write), std::move(out.read), std::move(err.read), std::move(report.read),
      ""};
}

class IgnoredPipeSignal {
 public:
  IgnoredPipeSignal() {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignore, &before_);
  }
  ~IgnoredPipeSignal() { ::sigaction(SIGPIPE, &before_, nullptr); }
  IgnoredPipeSignal(const IgnoredPipeSignal&) = delete;
  IgnoredPipeSignal& operator=(const IgnoredPipeSignal&) = delete;

 private:
  struct sigaction before_ = {};
};

// A killed process ends within this time, or it is stuck in the kernel: in a driver, or in a file
// system whose server is gone.
constexpr auto patience_with_killed = std::chrono::seconds(1);

int milliseconds_until(Clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, std::numeric_limits<int>::max()));
}

// Exchanges data until the child has closed its streams; false if `end` comes first. It also waits
// for exec, which may hang in the file system of the program.
bool talk_to(Child& child, std::string_view input, Clock::time_point end, ProcessResult& result) {
  if (input.empty()) child.in.reset();
  while (child.out || child.err || child.report) {
    const int left = milliseconds_until(end);
    if (left == 0) return false;
    // poll() ignores negative descriptors, such as that of a closed Fd.
    pollfd fds[] = {{child.out.get(), POLLIN, 0},
                    {child.err.get(), POLLIN, 0},
                    {child.in.get(), POLLOUT, 0},
                    {child.report.get(), POLLIN, 0}};
    if (::poll(fds, 4, left) < 0) continue;  // a signal: nothing else can be wrong with these
    if (fds[0].revents != 0) read_some(child.out, result.output);
    if (fds[1].revents != 0) read_some(child.err, result.errors);
    if (fds[2].revents != 0) feed(child.in, input);
    if (fds[3].revents != 0) read_some(child.report, child.failure);
  }
  return true;
}

// Children that SIGKILL has not ended yet. They end when the kernel lets them; the next call of
// run_process() reaps them.
class Abandoned {
 public:
  void add(pid_t child) {
    Fd pidfd = open_pidfd(child);
    const std::lock_guard lock(mutex_);
    if (pidfd) children_.push_back(std::move(pidfd));
  }

  void reap() {
    const std::lock_guard lock(mutex_);
    std::erase_if(children_, [](const Fd& child) {
      siginfo_t info = {};
      const auto id = static_cast<id_t>(child.get());
      return ::waitid(P_PIDFD, id, &info, WEXITED | WNOHANG) != 0 || info.si_pid != 0;
    });
  }

 private:
  std::mutex mutex_;
  std::vector<Fd> children_;
};

Abandoned abandoned;

// Signals the child and its group, since the child may not have made its group yet.
void kill_group(pid_t child) {
  ::kill(-child, SIGKILL);
  ::kill(child, SIGKILL);
}

// The exit code of a child that has ended or was killed. A child that SIGKILL does not end is left
// to the kernel.
int reap(pid_t child) {
  int status = SIGKILL;
  if (!ends_within(child, patience_with_killed)) {
    abandoned.add(child);
  } else {
    status = wait_for_child(child);
  }
  return exit_code_of(status);
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
  abandoned.reap();
  const auto end = Clock::now() + options.deadline;
  Child child = start(argv, options.program);
  const IgnoredPipeSignal
      ignored;  // a child that does not read its stdin must not end this process
  ProcessResult result;
  result.timed_out = !talk_to(child, options.input, end, result) ||
                     // It may have closed its streams and still run.
                     !ends_within(child.pid, std::chrono::milliseconds(milliseconds_until(end)));
  if (result.timed_out) kill_group(child.pid);
  result.exit_code = reap(child.pid);
  if (child.failure.size() == sizeof(int)) {
    int code = 0;
    std::memcpy(&code, child.failure.data(), sizeof code);
    throw_errno(fmt::format("cannot start {}", argv[0]), code);
  }
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
