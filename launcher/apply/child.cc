// Runs Terraform and Packer.
#include "launcher/apply/child.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "common/child.h"
#include "common/error.h"
#include "common/fd.h"
#include "common/file.h"
#include "common/pidfd.h"
#include "common/process.h"
#include "common/text.h"

namespace slipway::apply {
namespace {

struct Ends {
  int out, err, gate, report;
};

[[noreturn]] void become(const std::vector<std::string>& argv, const ChildOptions& options,
                         const Ends& ends) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGINT);
  // If the parent dies before it writes "go", the pipe closes.
  char go = 0;
  if (::read(ends.gate, &go, 1) != 1) ::_exit(1);
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(null, 0);
  ::dup2(ends.out, 1);
  ::dup2(ends.err, 2);
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  unblock_signals();
  ::umask(077);
  for (const auto& [name, value] : options.environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<std::string> copy = argv;
  const std::vector<char*> words = pointers(copy);
  if (::chdir(options.folder.c_str()) == 0) ::execv(words[0], words.data());
  const int code = errno;
  [[maybe_unused]] const ssize_t n = ::write(ends.report, &code, sizeof code);
  ::_exit(127);
}

// Passes the complete lines in `text` to `on_line` and removes them.
void take_lines(std::string& text, const std::function<void(const std::string&)>& on_line) {
  size_t begin = 0;
  for (size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    on_line(text.substr(begin, end - begin));
  }
  text.erase(0, begin);
}

// The child's output: an anonymous memory file that we read while the child writes to it.
class OutputFile {
 public:
  OutputFile() : file_(::memfd_create("output", MFD_CLOEXEC)) {
    if (!file_) throw_errno("memfd_create");
  }

  int fd() const { return file_.get(); }

  // Appends new output to `into`.
  void read(std::string& into) {
    char buffer[1 << 16];
    for (;;) {
      const ssize_t n = ::pread(file_.get(), buffer, sizeof buffer, at_);
      if (n <= 0) return;
      into.append(buffer, static_cast<size_t>(n));
      at_ += n;
    }
  }

 private:
  Fd file_;
  off_t at_ = 0;
};

class Running {
 public:
  Running(const std::vector<std::string>& argv, const ChildOptions& options,
          const Interrupts& interrupts)
      : options_(options), interrupts_(interrupts) {
    start(argv);
  }

  ChildResult finish() {
    try {
      while (!ended()) read_output();
      read_output();
    } catch (...) {
      // After an exception here, nobody would read its output, so stop it.
      ::kill(child_, SIGINT);
      wait();
      throw;
    }
    result_.exit_code = exit_code_of(wait());
    if (options_.on_line) {
      if (!result_.output.empty()) options_.on_line(result_.output);
      result_.output.clear();
    }
    return std::move(result_);
  }

 private:
  void start(const std::vector<std::string>& argv) {
    if (!options_.log.empty()) {
      log_.reset(::open(options_.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
      if (!log_) throw_errno(fmt::format("cannot write {}", options_.log.string()));
    }
    Pipe gate = make_pipe(), report = make_pipe();
    child_ = fork_child(argv[0]);
    if (child_ == 0) {
      ::close(gate.write.release());
      become(argv, options_, {out_.fd(), err_.fd(), gate.read.get(), report.write.get()});
    }
    gate.read.reset();
    report.write.reset();
    try {
      process_ = open_pidfd(child_);
      if (!process_) throw_errno("pidfd_open");
      if (options_.before_start) options_.before_start(child_);
    } catch (...) {
      gate.write.reset();
      wait();
      throw;
    }
    [[maybe_unused]] const ssize_t n = ::write(gate.write.get(), "g", 1);
    int code = 0;
    if (::read(report.read.get(), &code, sizeof code) == sizeof code) {
      wait();
      throw_errno(fmt::format("cannot start {} in {}", argv[0], options_.folder.string()), code);
    }
  }

  // Waits briefly for its end or an interrupt.
  bool ended() {
    constexpr int pause_milliseconds = 30;
    pollfd fds[] = {{interrupts_.fd(), POLLIN, 0}, {process_.get(), POLLIN, 0}};
    if (::poll(fds, 2, pause_milliseconds) < 0 && errno != EINTR) throw_errno("poll");
    if (fds[0].revents != 0 && interrupts_.take()) {
      result_.interrupted = true;
      ::kill(child_, SIGINT);
      if (options_.on_interrupt) options_.on_interrupt();
    }
    return fds[1].revents != 0;
  }

  void read_output() {
    const size_t before = result_.errors.size();
    err_.read(result_.errors);
    if (log_ && result_.errors.size() > before) {
      [[maybe_unused]] const ssize_t n =
          ::write(log_.get(), result_.errors.data() + before, result_.errors.size() - before);
    }
    out_.read(result_.output);
    if (options_.on_line) take_lines(result_.output, options_.on_line);
  }

  int wait() const { return wait_for_child(child_); }

  const ChildOptions& options_;
  const Interrupts& interrupts_;
  pid_t child_ = -1;
  OutputFile out_, err_;
  Fd process_, log_;
  ChildResult result_;
};

}  // namespace

ChildResult run_child(const std::vector<std::string>& argv, const ChildOptions& options,
                      const Interrupts& interrupts) {
  return Running(argv, options, interrupts).finish();
}

std::string start_time_of(pid_t process) {
  try {
    // The name in parentheses can contain anything; the 20th field after it is starttime.
    const std::string stat = read_file(fmt::format("/proc/{}/stat", process));
    const std::vector<std::string> fields = split(stat.substr(stat.rfind(')') + 1), ' ');
    constexpr size_t state = 1, starttime = 20;
    return fields.size() <= starttime || fields[state] == "Z" ? "" : fields[starttime];
  } catch (const Error&) {
    return {};
  }
}

}  // namespace slipway::apply
