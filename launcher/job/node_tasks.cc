// Starts, reads and ends the tasks of one node.
#include "launcher/job/node_tasks.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "common/child.h"
#include "common/error.h"
#include "common/file.h"
#include "common/nccl_ras.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/job/last_output.h"
#include "launcher/job/processes.h"
#include "launcher/job/step_file.h"
#include "spank-plugins/nccl_env/inspector.h"

namespace slipway::job {
namespace {

// Room for the stack traces of all workers of a node under one torchrun.
constexpr size_t most_last_output = size_t{64} << 10;
constexpr size_t largest_error_file = size_t{1} << 20;
constexpr const char* dump_variable = "NCCL_INSPECTOR_DUMP_DIR";
constexpr const char* error_variable = "TORCHELASTIC_ERROR_FILE";

std::vector<std::string> own_environment() {
  std::vector<std::string> all;
  for (char** each = environ; *each != nullptr; ++each) all.emplace_back(*each);
  return all;
}

std::vector<std::string> environment_with(const std::vector<std::string>& before,
                                          const Variables& variables,
                                          const std::vector<std::string>& unset) {
  std::vector<std::string> all;
  for (const std::string& entry : before) {
    const std::string name = entry.substr(0, entry.find('='));
    if (!variables.contains(name) && std::ranges::find(unset, name) == unset.end()) {
      all.emplace_back(entry);
    }
  }
  for (const auto& [name, value] : variables) all.push_back(name + "=" + value);
  return all;
}

std::string value_in(const std::vector<std::string>& environment, const std::string& name) {
  const auto found = std::ranges::find_if(
      environment, [&](const std::string& entry) { return entry.starts_with(name + "="); });
  return found == environment.end() ? "" : found->substr(name.size() + 1);
}

// Runs in the child; never returns.
[[noreturn]] void become_task(pid_t parent, char* const* command, char** variables, int out,
                              int err, const Container* container) {
  ::setpgid(0, 0);
  // If the agent is killed, its tasks die too.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, 0);
  if (nothing > 0) ::close(nothing);  // keep it from the task
  ::dup2(out, 1);
  ::dup2(err, 2);
  unblock_signals();
  ::signal(SIGPIPE, SIG_DFL);
  const char* const failed = container == nullptr ? nullptr : container->join();
  if (failed != nullptr) {
    ::dprintf(2, "slipway launch: %s: %s\n", failed, std::strerror(errno));
    ::_exit(1);
  }
  ::environ = variables;  // with the PATH of the container
  ::execvp(command[0], command);
  const int code = errno;
  ::dprintf(2, "slipway launch: cannot start %s: %s\n", command[0], std::strerror(code));
  ::_exit(code == ENOENT ? 127 : 126);
}

Fd without_waiting(Fd fd) {
  ::fcntl(fd.get(), F_SETFL, O_NONBLOCK);
  return fd;
}

}  // namespace

NodeTasks::NodeTasks() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

bool NodeTasks::awaits_step() const {
  return std::ranges::any_of(tasks_, [](const Task& task) { return task.step < 0 && !task.ended; });
}

std::filesystem::path NodeTasks::inspector_folder() {
  constexpr const char* name = "slipway-nccl-inspector";
  if (!inspector_folder_) {
    try {
      inspector_folder_.emplace(name);
    } catch (const Error&) {
      inspector_folder_.emplace(name, lasting_folder());  // Slurm has emptied the job's /tmp
    }
  }
  return inspector_folder_->path();
}

void NodeTasks::start(int64_t rank, const std::vector<std::string>& command,
                      const Variables& variables, const std::vector<std::string>& unset,
                      const Container* container) {
  Task task;
  task.rank = rank;
  task.progress_file = folder_.path() / fmt::format("step-{}", rank);
  std::error_code ignored;
  std::filesystem::remove(task.progress_file, ignored);
  if (!changes_) {
    changes_ = Fd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    ::inotify_add_watch(changes_.get(), folder_.path().c_str(),
                        IN_CLOSE_WRITE | IN_MODIFY | IN_MOVED_TO);
  }
  Variables all = variables;
  all["SLIPWAY_PROGRESS"] = task.progress_file;
  if (std::getenv(error_variable) == nullptr && !variables.contains(error_variable)) {
    task.error_file = folder_.path() / fmt::format("torch-error-{}", rank);
    std::filesystem::remove(task.error_file, ignored);
    all[error_variable] = task.error_file;
  }
  const char* const inspector = nccl_env::inspector_switch;
  const std::vector<std::string> before =
      container == nullptr ? own_environment() : container->environment;
  if ((all.contains(inspector) || std::getenv(inspector) != nullptr) &&
      !all.contains(dump_variable) && value_in(before, dump_variable).empty())
    all[dump_variable] = inspector_folder();
  std::vector<std::string> words = command, environment = environment_with(before, all, unset);
  dump_folder_ = value_in(environment, dump_variable);
  ras_address_ = value_in(environment, ras_address_variable);
  has_ras_ = value_in(environment, ras_enable_variable) != "0";
  const std::vector<char*> argv = pointers(words);
  std::vector<char*> envp = pointers(environment);
  Pipe out = make_pipe(), err = make_pipe();
  const pid_t parent = ::getpid();
  task.pid = fork_child("a task");
  if (task.pid == 0)
    become_task(parent, argv.data(), envp.data(), out.write.get(), err.write.get(), container);
  task.out = without_waiting(std::move(out.read));
  task.err = without_waiting(std::move(err.read));
  tasks_.push_back(std::move(task));
}

std::optional<std::string> NodeTasks::ras_address() const {
  return has_ras_ && running() ? std::optional(ras_address_) : std::nullopt;
}

std::vector<pollfd> NodeTasks::descriptors() const {
  std::vector<pollfd> all;
  for (const Task& task : tasks_) {
    if (task.out) all.push_back({task.out.get(), POLLIN, 0});
    if (task.err) all.push_back({task.err.get(), POLLIN, 0});
  }
  if (changes_) all.push_back({changes_.get(), POLLIN, 0});
  return all;
}

void NodeTasks::read_stream(Task& task, int stream, std::vector<TaskOutput>& into) {
  Fd& fd = stream == 1 ? task.out : task.err;
  if (!fd) return;
  std::string bytes(1 << 16, '\0');
  const ssize_t got = ::read(fd.get(), bytes.data(), bytes.size());
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) fd.reset();
  if (got <= 0) return;
  bytes.resize(static_cast<size_t>(got));
  keep(task, stream, bytes);
  into.push_back({task.rank, stream, std::move(bytes)});
}

void NodeTasks::keep(Task& task, int stream, const std::string& bytes) {
  std::string& last = stream == 1 ? task.last_out : task.last_err;
  last += bytes;
  task.output_bytes += static_cast<int64_t>(bytes.size());
  if (last.size() > 2 * most_last_output) last.erase(0, last.size() - most_last_output);
}

void NodeTasks::add_output(const TaskOutput& output) {
  const auto task = std::ranges::find(tasks_, output.rank, &Task::rank);
  if (task != tasks_.end()) keep(*task, output.stream, output.bytes);
}

std::vector<TaskOutput> NodeTasks::read() {
  std::vector<TaskOutput> all;
  for (Task& task : tasks_) {
    read_stream(task, 1, all);
    read_stream(task, 2, all);
  }
  return all;
}

void NodeTasks::notice_ends() {
  int status = 0;
  for (pid_t pid; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
    const auto task = std::ranges::find(tasks_, pid, &Task::pid);
    if (task == tasks_.end()) continue;  // an orphan that a task left behind
    task->ended = true;
    task->status = status;
  }
}

std::string NodeTasks::last_output_of(const Task& task) {
  std::string error;
  try {
    if (!task.error_file.empty()) error = read_regular_file(task.error_file, largest_error_file);
  } catch (const Error&) {
    // Most programs write no such file.
  }
  return condense(task.last_out, task.last_err, error);
}

std::vector<TaskEnd> NodeTasks::reap() {
  std::vector<TaskEnd> ends;
  for (Task& task : tasks_) {
    if (!task.ended || task.reported) continue;
    task.reported = true;
    TaskEnd end;
    end.rank = task.rank;
    if (task.status != 0) end.last_output = last_output_of(task);
    if (WIFSIGNALED(task.status)) {
      end.signal = WTERMSIG(task.status);
    } else {
      end.code = WEXITSTATUS(task.status);
    }
    ends.push_back(std::move(end));
  }
  return ends;
}

std::vector<TaskProgress> NodeTasks::progress() {
  std::vector<TaskProgress> all;
  std::array<char, 4096> events;
  while (changes_ && ::read(changes_.get(), events.data(), events.size()) > 0) continue;
  for (Task& task : tasks_) {
    const auto steps = steps_in(task.progress_file);
    if (!steps || (steps->step == task.step && steps->saved == task.saved)) continue;
    task.step = steps->step;
    task.saved = steps->saved;
    all.push_back({task.rank, task.step, task.saved});
  }
  if (!awaits_step()) changes_.reset();
  return all;
}

std::vector<OddProcess> NodeTasks::odd_processes() const {
  std::vector<OddProcess> all;
  for (const Task& task : tasks_) {
    if (task.ended) continue;
    std::vector<Process> family = descendants(task.pid);
    for (const Process& process : descendants(::getpid())) {
      if (process.pid == task.pid) family.push_back(process);
    }
    for (const Process& process : family) {
      if (process.state != 'T' && process.state != 't' && process.state != 'D') continue;
      all.push_back({task.rank, process.state,
                     fmt::format("{} (process {}) {}", process.name, process.pid,
                                 process.state == 'D' ? "waits in the kernel" : "is stopped")});
    }
  }
  return all;
}

std::optional<TaskEnd> NodeTasks::give_up(int64_t rank, int code, const std::string& words) {
  const auto task = std::ranges::find(tasks_, rank, &Task::rank);
  if (task == tasks_.end() || task->reported) return std::nullopt;
  task->reported = true;
  TaskEnd end;
  end.rank = rank;
  end.code = (code & 0xff) == 0 ? 1 : code & 0xff;  // as a shell shows it, but never success
  end.last_output = last_output_of(*task);
  if (end.last_output.empty()) end.last_output = words;
  return end;
}

bool NodeTasks::running() const {
  return std::ranges::any_of(tasks_, [](const Task& task) { return !task.ended; });
}

void NodeTasks::signal(int number) const {
  for (const Task& task : tasks_) {
    if (!task.ended) ::kill(-task.pid, number);
  }
}

std::vector<std::string> NodeTasks::end_all(std::chrono::milliseconds grace,
                                            std::chrono::milliseconds limit,
                                            const std::function<void()>& meanwhile,
                                            const std::vector<pid_t>& others) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  signal(SIGTERM);
  signal(SIGCONT);  // a stopped process does not handle SIGTERM
  std::vector<Process> left;
  for (;;) {
    notice_ends();
    left = descendants(::getpid());
    std::erase_if(left, [&](const Process& process) {
      return std::ranges::find(others, process.pid) != others.end();
    });
    const auto passed = Clock::now() - begin;
    if (left.empty() || passed > limit) break;
    if (!running() || passed > grace) {
      for (const Process& process : left) ::kill(process.pid, SIGKILL);
    }
    meanwhile();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::vector<std::string> held;
  for (const Process& process : left) {
    held.push_back(fmt::format("{} (process {}) cannot be killed", process.name, process.pid));
  }
  return held;
}

}  // namespace slipway::job
