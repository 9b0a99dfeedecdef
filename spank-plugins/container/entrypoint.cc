// Runs /etc/rc of the image.
#include "spank-plugins/container/entrypoint.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "common/child.h"
#include "common/error.h"
#include "common/process.h"
#include "spank-plugins/container/plan_text.h"

namespace slipway::container {
namespace {

[[noreturn]] void become_shell(const Environment& environment, int log) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int null = ::open("/dev/null", O_RDWR);
  ::dup2(null, 0);
  ::dup2(log >= 0 ? log : null, 1);
  ::dup2(log >= 0 ? log : null, 2);
  close_all_but({});
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  unblock_signals();
  std::vector<std::string> words = {"/bin/sh", "/etc/rc", "/bin/sh", "-c", "kill -STOP $$; exit 0"};
  std::vector<std::string> variables;
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
  ::execve("/bin/sh", pointers(words).data(), pointers(variables).data());
  ::_exit(127);
}

// Of a shell that was forked while SIGCHLD was blocked. Returns its wait status when it has stopped
// or ended.
int wait_for_shell(pid_t shell, const Fd& signals, int line) {
  for (;;) {
    int status = 0;
    if (::waitpid(shell, &status, WUNTRACED | WNOHANG) == shell) return status;
    pollfd events[2] = {{signals.get(), POLLIN, 0}, {line, POLLIN, 0}};
    if (::poll(events, 2, -1) < 0) continue;
    if (events[1].revents != 0) throw Error("the step has ended");
    signalfd_siginfo news = {};
    [[maybe_unused]] const ssize_t n = ::read(signals.get(), &news, sizeof news);
  }
}

std::string folder_of(pid_t process) {
  char path[PATH_MAX] = {};
  const ssize_t size = ::readlink(fmt::format("/proc/{}/cwd", process).c_str(), path, sizeof path);
  return size > 0 ? std::string(path, static_cast<size_t>(size)) : "/";
}

[[noreturn]] void explain_end(int status, bool with_entrypoint) {
  const int code = exit_code_of(status);
  if (code == 127) {
    throw Error("the image has /etc/rc, but /bin/sh or what /etc/rc executes is missing");
  }
  throw Error(fmt::format(
      "/etc/rc of the image ended with status {} instead of executing its arguments{}", code,
      with_entrypoint ? "; --no-container-entrypoint leaves the entrypoint out" : ""));
}

}  // namespace

Environment parse_environ(std::string_view text) {
  Environment variables;
  while (!text.empty()) {
    const std::string_view entry = text.substr(0, text.find('\0'));
    const size_t equals = entry.find('=');
    if (equals != std::string_view::npos && equals != 0) {
      variables[std::string(entry.substr(0, equals))] = entry.substr(equals + 1);
    }
    text.remove_prefix(std::min(text.size(), entry.size() + 1));
  }
  return variables;
}

Fd open_entrypoint_log(const std::filesystem::path& path) {
  if (path.empty()) return Fd();
  Fd log(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!log) throw_errno(fmt::format("cannot write the entrypoint's log `{}`", path.string()));
  return log;
}

EntrypointResult run_entrypoint(const EntrypointRun& run) {
  sigset_t of_children;
  ::sigemptyset(&of_children);
  ::sigaddset(&of_children, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &of_children, nullptr);
  const Fd signals(::signalfd(-1, &of_children, SFD_CLOEXEC));
  if (!signals) throw_errno("cannot wait for /etc/rc");
  const pid_t shell = fork_child("/etc/rc");
  if (shell == 0) become_shell(run.environment, run.log.get());
  const int status = wait_for_shell(shell, signals, run.line);
  if (!WIFSTOPPED(status)) explain_end(status, run.with_entrypoint);
  EntrypointResult result;
  const Fd file(::open(fmt::format("/proc/{}/environ", shell).c_str(), O_RDONLY | O_CLOEXEC));
  if (file) result.environment = parse_environ(read_whole(file.get()));
  result.workdir = folder_of(shell);
  ::kill(shell, SIGKILL);
  wait_for_child(shell);
  return result;
}

}  // namespace slipway::container
