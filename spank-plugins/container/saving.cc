// Writes the image of --container-save when the last task of a step on this node has ended.
#include "spank-plugins/container/saving.h"

#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <exception>
#include <new>
#include <string_view>

#include "common/child.h"
#include "common/error.h"
#include "common/pidfd.h"
#include "spank-plugins/container/slurmstepd_line.h"

namespace slipway::container {
namespace {

constexpr size_t longest_message = 64 << 10;
constexpr auto patience_with_writer = std::chrono::seconds(2);

void drop_streams(int first, int last) {
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (int stream = first; stream <= last; ++stream) ::dup2(null.get(), stream);
}

// An empty text is the end of the other side.
std::string receive(const Fd& line) {
  std::string text(longest_message, '\0');
  ssize_t n = 0;
  do {
    n = ::read(line.get(), text.data(), text.size());
  } while (n < 0 && errno == EINTR);
  text.resize(n < 0 ? 0 : static_cast<size_t>(n));
  return text;
}

void send(const Fd& line, std::string text) {
  if (text.size() > longest_message) text.resize(longest_message);
  [[maybe_unused]] const ssize_t n = ::write(line.get(), text.data(), text.size());
}

// Signals of a step are for its task. Returns the mask before.
sigset_t take_no_signals() {
  sigset_t all = {}, before = {};
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);
  return before;
}

// With proctrack/cgroup, Slurm sends signals, but SIGKILL, only to children of slurmstepd; other
// plugins send them to all processes of the step. slurmstepd, of which this is a copy, has loaded
// the one that the site has chosen; the task's cgroup does not tell, since task/cgroup makes one,
// too.
bool slurm_signals_children_only() {
  const auto is_it = [](dl_phdr_info* object, size_t, void*) {
    return std::string_view(object->dlpi_name).ends_with("/proctrack_cgroup.so") ? 1 : 0;
  };
  return ::dl_iterate_phdr(is_it, nullptr) != 0;
}

// Returns the wait status. Signals are blocked.
int wait_and_forward_signals(pid_t task) {
  const bool forwards = slurm_signals_children_only();
  sigset_t all = {};
  ::sigfillset(&all);
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(task, &status, WNOHANG);
    if (ended == task || (ended < 0 && errno != EINTR)) return status;
    const timespec second = {1, 0};
    const int signal = ::sigtimedwait(&all, nullptr, &second);
    if (signal > 0 && signal != SIGCHLD && forwards) ::kill(task, signal);
  }
}

[[noreturn]] void end_as(int wait_status, bool failed) {
  if (WIFSIGNALED(wait_status)) {
    const int signal = WTERMSIG(wait_status);
    const rlimit no_core = {};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::signal(signal, SIG_DFL);
    sigset_t only = {};
    ::sigemptyset(&only);
    ::sigaddset(&only, signal);
    ::kill(::getpid(), signal);
    ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
    ::_exit(128 + signal);
  }
  const int status = WEXITSTATUS(wait_status);
  ::_exit(status == 0 && failed ? 1 : status);
}

}  // namespace

Saving::Saving(const User& user, uint32_t job, const std::function<void()>& save,
               std::vector<int> keep) {
  void* const memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw_errno("cannot share memory with tasks");
  shared_ = new (memory) Shared{};
  SocketPair line = make_socket_pair();
  keep.push_back(line.theirs.get());
  const auto write = [&] {
    take_no_signals();
    // slurmstepd waits for the end of its tasks' output.
    close_all_but(keep);
    drop_streams(0, 2);
    if (receive(line.theirs).empty()) return;
    std::string answer = "saved";
    try {
      save();
    } catch (const std::exception& error) {
      answer = std::string("!") + error.what();
    }
    shared_->has_run = true;
    send(line.theirs, answer);
  };
  writer_ = start_as(user, write, job);
  writer_process_ = open_pidfd(writer_);
  line_ = std::move(line.ours);
}

Saving::~Saving() {
  line_.reset();
  if (!ends_within(writer_process_, patience_with_writer)) kill_process(writer_process_);
  wait_for_child(writer_);
  ::munmap(shared_, sizeof(Shared));
}

std::string Saving::run(std::optional<std::chrono::milliseconds> limit) const {
  send(line_, "save");
  if (limit && !readable_until(line_.get(), std::chrono::steady_clock::now() + *limit)) {
    kill_process(writer_process_);
    return "it takes too long, and Slurm has ended the step";
  }
  const std::string answer = receive(line_);
  if (answer.empty()) return "the process that saves the container was ended";
  return answer.starts_with('!') ? answer.substr(1) : "";
}

void Saving::follow_task(uint32_t tasks,
                         const std::function<void(const std::string&)>& print) const {
  const sigset_t before = take_no_signals();
  const pid_t task = fork_child("the task");
  if (task == 0) {
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    return;
  }
  drop_streams(0, 1);
  close_all_but({line_.get()});
  const int status = wait_and_forward_signals(task);
  std::string error;
  if (++shared_->ended_tasks == tasks) error = run();
  if (!error.empty()) print(error);
  end_as(status, !error.empty());
}

}  // namespace slipway::container
