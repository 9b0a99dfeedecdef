// Starts, joins and ends containers: the part that runs in slurmstepd and its tasks.
#include "spank-plugins/container/runtime.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "common/child.h"
#include "common/error.h"
#include "common/pidfd.h"
#include "common/process.h"
#include "spank-plugins/container/job_namespace.h"
#include "spank-plugins/container/own_namespaces.h"
#include "spank-plugins/container/plan_text.h"
#include "spank-plugins/container/pretended_ids.h"
#include "spank-plugins/container/root_help.h"
#include "spank-plugins/container/slurmstepd_line.h"

namespace slipway::container {
namespace {

// Descriptors that the keeper starts with, in the order of their numbers.
struct Handed {
  Fd plan, control, answer;
};

// After fork(): gives up root for good, and becomes the keeper.
[[noreturn]] void become_keeper(const char* program, const Handed& handed, uint32_t job) {
  const uid_t uid = ::geteuid();
  const gid_t gid = ::getegid();
  if (enter_job_namespace(job) != 0) ::_exit(125);
  if (::setresgid(gid, gid, gid) != 0 || ::setresuid(uid, uid, uid) != 0) ::_exit(126);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int null = ::open("/dev/null", O_RDWR);
  int copies[3] = {handed.plan.get(), handed.control.get(), handed.answer.get()};
  for (int& copy : copies) copy = ::fcntl(copy, F_DUPFD, 10);
  for (int i = 0; i < 3; ++i) ::dup2(null, i);
  ::dup2(copies[0], plan_descriptor);
  ::dup2(copies[1], control_descriptor);
  ::dup2(copies[2], answer_descriptor);
  close_all_but({plan_descriptor, control_descriptor, answer_descriptor});
  unblock_signals();
  ::setpgid(0, 0);
  char* const words[] = {const_cast<char*>("slipway-container"), nullptr};
  char* const variables[] = {nullptr};
  ::execve(program, words, variables);
  ::_exit(127);
}

// After fork(): the keeper's parent until the container is up, when `line` is closed. Then it ends,
// so that the keeper is not a descendant of slurmstepd, all of which proctrack/linuxproc kills with
// its step: others can be in the container. Its exit status is that of a keeper that has ended.
[[noreturn]] void be_parent(const char* program, const Handed& handed, uint32_t job, Fd line) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const pid_t keeper = ::fork();
  if (keeper == 0) become_keeper(program, handed, job);
  close_all_but({line.get()});
  if (keeper < 0 || ::write(line.get(), &keeper, sizeof keeper) < 0) ::_exit(124);
  pollfd closed = {line.get(), POLLIN, 0};
  while (::poll(&closed, 1, -1) < 0 && errno == EINTR) {
  }
  int status = 0;
  ::_exit(::waitpid(keeper, &status, WNOHANG) == keeper ? exit_code_of(status) : 0);
}

// A keeper that has not come up yet.
class Starting {
 public:
  // Throws Error.
  Starting(const std::string& program, Handed handed, uint32_t job) {
    SocketPair line = make_socket_pair();
    parent_ = fork_child("the container's keeper");
    if (parent_ == 0) be_parent(program.c_str(), handed, job, std::move(line.theirs));
    line_ = std::move(line.ours);
  }
  Starting(const Starting&) = delete;
  Starting& operator=(const Starting&) = delete;
  ~Starting() { end(); }

  // 0 if it did not start. The number is its own until end().
  pid_t keeper() const {
    pid_t keeper = 0;
    return ::read(line_.get(), &keeper, sizeof keeper) == sizeof keeper ? keeper : 0;
  }

  // The keeper belongs to nobody then. Returns its exit status if it has ended.
  int end() {
    line_.reset();
    if (parent_ != 0) status_ = exit_code_of(wait_for_child(std::exchange(parent_, 0)));
    return status_;
  }

 private:
  pid_t parent_ = 0;
  Fd line_;
  int status_ = 0;
};

Fd help(Signal signal, int process, int with) {
  if (signal == Signal::wants_fuse) return fuse_device_for(process);
  if (signal == Signal::wants_kernel_image) return kernel_mount_for(process, with);
  errno = EINVAL;
  return Fd();
}

// Helps until the keeper says how it went. False if it is gone, or takes too long, or asks for more
// than a keeper does: it belongs to the user.
bool serve_keeper(const Container& container, const ContainerPlan& plan, Signal& last) {
  constexpr int most_messages = 4;
  const auto deadline = std::chrono::steady_clock::now() + plan.patience;
  char byte = 0;
  for (int messages = 0; messages < most_messages; ++messages) {
    Fd with;
    if (!readable_until(container.control.get(), deadline, plan.life)) {
      if (std::chrono::steady_clock::now() < deadline) throw Error("the step has ended");
      throw Error(fmt::format("the container is not up after {} s", plan.patience.count()));
    }
    if (!receive_with_fd(container.control.get(), byte, with)) return false;
    last = static_cast<Signal>(byte);
    if (last == Signal::ready || last == Signal::failed) return true;
    const bool refused = last == Signal::wants_kernel_image && !plan.kernel_images;
    if (refused) errno = EPERM;
    const Fd found = refused ? Fd() : help(last, container.process.get(), with.get());
    const char code = static_cast<char>(found ? 0 : errno);
    if (!send_with_fd(container.control.get(), code, found.get())) return false;
  }
  return false;
}

[[noreturn]] void explain_death(const ContainerPlan& plan, int code) {
  if (code == 127) {
    throw Error(
        fmt::format("cannot execute `{}`, which Slipway installs on nodes", plan.keeper.string()));
  }
  if (code == 125) throw Error("cannot enter the mount namespace that Slurm made for the job");
  throw Error(fmt::format("the container's keeper ended with status {}", code));
}

void end_keeper_within(Container& container, std::chrono::milliseconds patience) {
  container.control.reset();
  if (ends_within(container.process, patience)) return;
  kill_process(container.process);
  ends_within(container.process, patience);
}

// Of a container that did not come up. Returns the keeper's exit status.
int end_keeper(Container& container, Starting& starting) {
  end_keeper_within(container, std::chrono::seconds(2));  // to end what /etc/rc has started
  return starting.end();
}

bool same_namespace(pid_t process, const char* name) {
  struct stat own = {}, other = {};
  return ::stat(fmt::format("/proc/self/ns/{}", name).c_str(), &own) == 0 &&
         ::stat(fmt::format("/proc/{}/ns/{}", process, name).c_str(), &other) == 0 &&
         own.st_ino == other.st_ino && own.st_dev == other.st_dev;
}

Fd open_answer(pid_t keeper) {
  const std::string file = fmt::format("/proc/{}/fd/{}", keeper, answer_descriptor);
  return Fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
}

}  // namespace

Container start(const ContainerPlan& plan) {
  const Fd text = memory_file("plan", encode(plan)), answer = memory_file("answer", "");
  SocketPair talk = make_socket_pair();
  Handed handed;
  handed.plan = Fd(::fcntl(text.get(), F_DUPFD_CLOEXEC, 0));
  handed.control = std::move(talk.theirs);
  handed.answer = Fd(::fcntl(answer.get(), F_DUPFD_CLOEXEC, 0));
  Container container;
  Starting starting(plan.keeper.string(), std::move(handed), plan.job_id);
  container.control = std::move(talk.ours);
  container.keeper = starting.keeper();
  container.process = open_pidfd(container.keeper);
  Signal last = Signal::failed;
  bool answered = false;
  try {
    answered = container.process && serve_keeper(container, plan, last);
  } catch (const Error&) {
    end_keeper(container, starting);
    throw;
  }
  if (!answered) explain_death(plan, end_keeper(container, starting));
  if (last != Signal::ready) {
    end_keeper(container, starting);
    throw Error(decode_answer(read_whole(answer.get())).error);
  }
  Answer result = decode_answer(read_whole(answer.get()));
  container.namespaces = result.namespaces;
  container.pretends_ids = result.pretends_ids;
  container.environment = std::move(result.environment);
  container.workdir = std::move(result.workdir);
  container.library_folder = std::move(result.library_folder);
  container.notes = std::move(result.notes);
  return container;
}

bool is_up(pid_t keeper) {
  return static_cast<bool>(open_answer(keeper));
}

Container attach(pid_t keeper) {
  const std::string what = fmt::format("process {} has no container of yours", keeper);
  Container container;
  container.keeper = keeper;
  container.process = open_pidfd(keeper);
  const Fd answer = open_answer(keeper);
  if (!container.process || !answer) throw_errno(what);
  const Answer result = decode_answer(read_whole(answer.get()));
  container.namespaces = CLONE_NEWUSER | CLONE_NEWNS;
  for (const char* word : {"net", "ipc", "uts"}) {
    if (!same_namespace(keeper, word)) container.namespaces |= namespace_of(word);
  }
  container.pretends_ids = result.pretends_ids;
  container.environment = result.environment;
  container.workdir = result.workdir;
  container.library_folder = result.library_folder;
  return container;
}

void join(const Container& container) {
  if (::setns(container.process.get(), container.namespaces) != 0) {
    throw_errno("cannot enter the container");
  }
  if (::chdir(container.workdir.c_str()) != 0) {
    throw_errno(
        fmt::format("cannot change to the folder `{}` in the container", container.workdir));
  }
  if (container.pretends_ids) pretend_to_change_ids();
}

void stop(Container& container) noexcept {
  if (!container.control) {  // another step's
    container.process.reset();
    return;
  }
  end_keeper_within(container, std::chrono::seconds(10));
  container.process.reset();
}

}  // namespace slipway::container
