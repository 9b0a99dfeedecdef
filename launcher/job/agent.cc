// The launcher's agent on a node.
//
// It is the one task that srun starts on the node, so what SPANK plugins have set is there for all
// tasks that it starts. One thread that never waits for a file system, the network or a task.
#include "launcher/job/agent.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "common/error.h"
#include "common/text.h"
#include "launcher/health/history.h"
#include "launcher/health/job_report.h"
#include "launcher/job/allocation.h"
#include "launcher/job/energy_meter.h"
#include "launcher/job/kernel_log.h"
#include "launcher/job/node_health.h"
#include "launcher/job/node_tasks.h"
#include "launcher/job/pmix_node.h"
#include "launcher/job/wire.h"

namespace slipway::job {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A launcher that reads no more holds the tasks, as a full pipe does.
constexpr size_t most_unsent = size_t{1} << 20;
constexpr size_t largest_order = size_t{64} << 20;  // what all tasks of a node are given
constexpr milliseconds kill_limit = std::chrono::seconds(20);
constexpr milliseconds health_limit = std::chrono::seconds(3);
constexpr milliseconds health_interval = std::chrono::seconds(1);

std::string required(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr)
    throw Error(fmt::format("{} is not set: no launcher has started this", name));
  return value;
}

std::string node_name() {
  const char* node = std::getenv("SLURMD_NODENAME");
  return node == nullptr ? "" : node;
}

Fd task_signals() {
  sigset_t set;
  sigemptyset(&set);
  // What a job sends to all processes of its steps is for the tasks.
  for (int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGQUIT, SIGXCPU})
    sigaddset(&set, number);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  Fd fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd) throw_errno("signalfd");
  return fd;
}

Fd connect_by(const std::string& where) {
  const size_t colon = where.rfind(':');
  if (colon == where.npos) throw Error(fmt::format("`{}` is no host and port", where));
  return connect_to_launcher(where.substr(0, colon), std::atoi(where.c_str() + colon + 1), 10);
}

// Slurm may have bound us, one task, to a part of what the step has; the tasks are to have all of
// it.
void take_all_cpus() {
  cpu_set_t all;
  std::memset(&all, 0xff, sizeof all);
  ::sched_setaffinity(0, sizeof all, &all);  // as far as the step's cgroup allows
}

class Agent {
 public:
  Agent()
      : limit_(static_cast<int64_t>(std::atof(required(heartbeat_variable).c_str()) * 1000)),
        wire_(connect_by(required(launcher_variable)), largest_order),
        signals_(task_signals()),
        pmix_(required(mpi_variable) == "pmix", node_name()) {
    wire_.put({{"is", "hello"}, {"token", required(token_variable)}, {"node", node_name()}});
    for (const char* name : {launcher_variable, token_variable, heartbeat_variable, mpi_variable})
      ::unsetenv(name);
  }

  int run() {
    while (!over_) {
      wait();
      tell_signals();
      tell_tasks();
      tell_energy();
      hear();
      hear_pmix();
      start_tasks();
      beat();
      tell_health();
    }
    end_tasks(milliseconds(0));
    tell_tasks();
    return 0;
  }

 private:
  void wait() {
    std::vector<pollfd> fds = {{signals_.get(), POLLIN, 0}};
    fds.push_back(
        {wire_.fd(), static_cast<short>(wire_.unsent() > 0 ? POLLIN | POLLOUT : POLLIN), 0});
    if (wire_.unsent() < most_unsent) {
      for (const pollfd& each : tasks_.descriptors()) fds.push_back(each);
    }
    for (const pollfd& each : energy_.descriptors()) fds.push_back(each);
    for (const pollfd& each : pmix_.descriptors()) fds.push_back(each);
    const auto step = std::min(limit_ / 8, milliseconds(250));
    ::poll(fds.data(), fds.size(), static_cast<int>(std::max(step, milliseconds(10)).count()));
    wire_.flush();
  }

  // Slurm tells every process of a step when the job is to end; the tasks have heard it, too.
  void tell_signals() {
    signalfd_siginfo info;
    while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
      const auto number = static_cast<int>(info.ssi_signo);
      const bool ends = number == SIGTERM || number == SIGINT || number == SIGHUP;
      if (ends) wire_.put({{"is", "told"}, {"number", number}});
    }
  }

  void tell_output() {
    while (wire_.unsent() < most_unsent) {
      const std::vector<TaskOutput> all = tasks_.read();
      if (all.empty()) return;
      for (const TaskOutput& each : all) {
        wire_.put({{"is", "output"},
                   {"rank", each.rank},
                   {"stream", each.stream},
                   {"bytes", Message::binary({each.bytes.begin(), each.bytes.end()})}});
      }
    }
  }

  void tell_tasks() {
    tell_output();
    const std::vector<TaskEnd> ends = tasks_.reap();
    if (!ends.empty()) tell_output();  // what was written before the end is told before it
    for (const TaskEnd& end : ends) tell_end(end);
  }

  void tell_end(const TaskEnd& end) {
    wire_.put({{"is", "ended"},
               {"attempt", attempt_},
               {"rank", end.rank},
               {"code", end.code},
               {"signal", end.signal},
               {"told", ending_},
               {"words", Message::binary({end.words.begin(), end.words.end()})}});
  }

  void hear_pmix() {
    for (const Message& each : pmix_.hear()) {
      if (each.at("what") == "abort") {
        tell_abort(each);
      } else {
        wire_.put({{"is", "pmix"}, {"attempt", attempt_}, {"body", each}});
      }
    }
  }

  // The rank goes on when it has been told: it may end with 0, and it is not to be heard as that.
  void tell_abort(const Message& message) {
    tell_tasks();
    const auto end = tasks_.give_up(message.at("rank"), message.at("status"), message.at("text"));
    if (end) tell_end(*end);
    pmix_.tell({{"what", "release"}, {"rank", message.at("rank")}});
  }

  void hear() {
    if (!wire_.receive()) over_ = true;
    while (const auto message = wire_.next()) {
      heard_ = Clock::now();
      const std::string what = message->at("do");
      if (what == "start") start(*message);
      if (what == "stop") stop(milliseconds(message->at("grace_ms").get<int64_t>()));
      if (what == "pmix" && message->at("attempt") == attempt_) pmix_.tell(message->at("body"));
      if (what == "signal") tasks_.signal(message->at("number"));
      if (what == "requeue") queue_again(*message);
      if (what == "report") leave_report(*message);
      if (what == "end") over_ = true;
    }
    // Alone: nobody is to meet our tasks when the others have gone on without us.
    if (Clock::now() - heard_ > limit_) over_ = true;
  }

  void start(const Message& message) {
    attempt_ = message.at("attempt");
    ending_ = false;
    log_.skip();
    kernel_ = {};
    tasks_.forget();
    energy_.begin(attempt_);
    pmix_.begin(message.at("pmix"));
    waiting_ = message;
  }

  // What has waited for the PMIx server, which needs a few milliseconds for an attempt.
  void start_tasks() {
    if (!waiting_ || !pmix_.settled()) return;
    const Message message = *std::exchange(waiting_, std::nullopt);
    size_t local = 0;
    for (const Message& task : message.at("tasks")) {
      Variables variables = message.at("set").get<Variables>();
      for (const auto& [name, value] : task.at("set").get<Variables>()) variables[name] = value;
      for (const auto& [name, value] : pmix_.variables(local++)) variables[name] = value;
      tasks_.start(task.at("rank"), message.at("command"), variables, message.at("unset"));
    }
  }

  void stop(milliseconds grace) {
    waiting_.reset();
    tell_tasks();
    Message odd = Message::array();
    for (const OddProcess& each : tasks_.odd_processes()) {
      odd.push_back({{"rank", each.rank}, {"text", each.text}});
    }
    const std::vector<std::string> held = end_tasks(grace);
    tell_tasks();
    pmix_.end();
    read_kernel_log();
    const auto health = look_at_node(health_limit, [this] {
      beat();
      tell_energy();
    });
    wire_.put({{"is", "stopped"},
               {"attempt", attempt_},
               {"odd", odd},
               {"held", held},
               {"kernel", kernel_.all},
               {"broken", kernel_.broken},
               {"health", health}});
  }

  // When it is known: nobody waits for it.
  void tell_energy() {
    if (!waiting_ && !tasks_.running()) energy_.end();
    for (const MeasuredEnergy& each : energy_.finished()) {
      wire_.put({{"is", "energy"},
                 {"attempt", each.attempt},
                 {"joules", each.joules ? Message(*each.joules) : Message()}});
    }
  }

  // Returns the new lines about what takes the node out of service.
  std::vector<std::string> read_kernel_log() {
    KernelLines lines = log_.lines();
    kernel_.all.insert(kernel_.all.end(), lines.all.begin(), lines.all.end());
    kernel_.broken.insert(kernel_.broken.end(), lines.broken.begin(), lines.broken.end());
    return lines.broken;
  }

  // While tasks run: those on a node that is broken may hang for long before they fail.
  void tell_health() {
    const auto now = Clock::now();
    if (ending_ || !tasks_.running() || now - looked_ < health_interval) return;
    looked_ = now;
    std::vector<std::string> reasons = health_.news();
    for (const std::string& line : read_kernel_log()) reasons.push_back("kernel: " + line);
    if (reasons.empty()) return;
    wire_.put({{"is", "health"}, {"attempt", attempt_}, {"reasons", reasons}});
  }

  // A node that does not look at its health has no folder for it, and that is no concern of a job.
  static void leave_report(const Message& message) {
    health::leave_report(health::reports_folder,
                         {message.at("job"), message.at("attempt"),
                          message.at("cause").get<health::Cause>(), message.at("detail")});
  }

  // The launcher cannot: it ends with the batch script.
  void queue_again(const Message& message) {
    try {
      requeue(message.at("job"), message.at("bad"), message.at("comment"));
    } catch (const Error& error) {
      wire_.put({{"is", "refused"}, {"text", error.what()}});
    }
  }

  std::vector<std::string> end_tasks(milliseconds grace) {
    ending_ = true;
    const auto meanwhile = [this] {
      tell_output();
      beat();
    };
    std::vector<pid_t> others = energy_.processes();
    for (const pid_t each : pmix_.processes()) others.push_back(each);
    return tasks_.end_all(grace, kill_limit, meanwhile, others);
  }

  void beat() {
    const std::vector<TaskProgress> all = tasks_.progress();
    const auto now = Clock::now();
    if (all.empty() && now - beaten_ < limit_ / 8) return;
    beaten_ = now;
    Message steps = Message::array();
    for (const TaskProgress& each : all) steps.push_back({each.rank, each.step});
    wire_.put({{"is", "beat"}, {"attempt", attempt_}, {"steps", steps}});
  }

  milliseconds limit_;
  Wire wire_;
  Fd signals_;
  NodeTasks tasks_;
  EnergyMeter energy_;
  PmixNode pmix_;
  std::optional<Message> waiting_;  // to start tasks
  KernelLog log_{policy_here()};
  KernelLines kernel_;  // since the attempt began
  HealthWatch health_{std::filesystem::path(health::state_folder) / "last.json"};
  int64_t attempt_ = 0;
  bool ending_ = false, over_ = false;
  Clock::time_point heard_ = Clock::now(), beaten_ = {}, looked_ = {};
};

}  // namespace

int run_agent() {
  take_all_cpus();
  return Agent().run();
}

}  // namespace slipway::job
