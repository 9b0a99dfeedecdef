// The launcher's agent on a node. srun starts one per node, so everything that SPANK plugins set is
// in place for the tasks that it starts. It has one thread, which never waits for a file system,
// the network or a task.
#include "launcher/job/agent.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include "common/error.h"
#include "common/wire.h"
#include "launcher/health/history.h"
#include "launcher/health/report_slots.h"
#include "launcher/job/agent_connection.h"
#include "launcher/job/agent_process.h"
#include "launcher/job/agent_settings.h"
#include "launcher/job/checkpoint_node.h"
#include "launcher/job/container_place.h"
#include "launcher/job/energy_meter.h"
#include "launcher/job/kernel_log.h"
#include "launcher/job/node_health.h"
#include "launcher/job/node_tasks.h"
#include "launcher/job/orphan.h"
#include "launcher/job/pmix_node.h"
#include "launcher/job/port_offers.h"
#include "launcher/job/protocol.h"
#include "launcher/job/rank_watch.h"
#include "launcher/job/requeue.h"
#include "launcher/job/xid_listener.h"

namespace slipway::job {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// If the launcher stops reading, tasks block at this limit, as they do on a full pipe.
constexpr size_t most_unsent = size_t{1} << 20;
constexpr milliseconds connect_limit = std::chrono::seconds(30);
constexpr milliseconds kill_limit = std::chrono::seconds(20);
constexpr milliseconds container_interval = milliseconds(20);  // while tasks wait for it
constexpr milliseconds health_interval = std::chrono::seconds(1);
// An image may have to be fetched first.
constexpr auto container_limit = std::chrono::minutes(30);
constexpr uint64_t port_spread = 211;  // between the first ports of agents that start in a row

class Agent {
 public:
  // `container`: where the tasks run; null: nowhere else.
  Agent(AgentSettings settings, ContainerPlace* container)
      : limit_(settings.heartbeat),
        container_(container),
        orphan_(std::move(settings.orphan)),
        key_(settings.key),
        wire_(connect_to_launcher(orphan_.launcher, orphan_.port, key_, orphan_.node, connect_limit,
                                  this_program()),
              longest_message),
        signals_(task_signals()),
        pmix_(settings.with_pmix, orphan_.node),
        ports_(static_cast<uint64_t>(::getpid()) * port_spread) {
    if (settings.with_checkpoints)
      checkpoints_.emplace(orphan_.node, key_, settings.checkpoint_bytes);
  }

  int run() {
    offer_ports();
    while (!over_) {
      wait();
      report_signals();
      report_tasks();
      report_energy();
      receive();
      report_checkpoints();
      start_tasks();
      beat();
      report_health();
      report_watched();
    }
    end_tasks(milliseconds(0));
    report_tasks();
    if (is_lost_ && !is_ended_) {
      orphan_.attempt = attempt_;
      requeue_orphaned(orphan_);
    }
    return 0;
  }

 private:
  void send(const ToLauncher& message) { wire_.put(encode(message)); }

  void offer_ports() {
    const std::vector<int64_t> ports = ports_.next();
    if (ports.empty()) throw Error("no port is free on this node for the first rank");
    send(Ports{ports[0], ports[1]});
  }

  void wait() {
    std::vector<pollfd> fds = {{signals_.get(), POLLIN, 0}};
    fds.push_back(
        {wire_.fd(), static_cast<short>(wire_.unsent() > 0 ? POLLIN | POLLOUT : POLLIN), 0});
    if (wire_.unsent() < most_unsent)
      for (const pollfd& each : tasks_.descriptors()) fds.push_back(each);
    for (const auto& all : {energy_.descriptors(), watch_.descriptors(), pmix_.descriptors()})
      std::ranges::copy(all, std::back_inserter(fds));
    if (checkpoints_) std::ranges::copy(checkpoints_->descriptors(), std::back_inserter(fds));
    auto step = std::min(limit_ / 8, milliseconds(250));
    if (waiting_ && container_ != nullptr) step = container_interval;
    ::poll(fds.data(), fds.size(), static_cast<int>(std::max(step, milliseconds(10)).count()));
    wire_.flush();
  }

  // Slurm signals every process of a step when the job must end; the tasks got the signal too. If
  // it is a helper job, the job that it helps only loses this node.
  void report_signals() {
    signalfd_siginfo info;
    while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
      const auto number = static_cast<int>(info.ssi_signo);
      if (number != SIGTERM && number != SIGINT && number != SIGHUP) continue;
      over_ |= orphan_.joins;
      if (!orphan_.joins) send(StepSignal{number});
    }
  }

  void send_output() {
    while (wire_.unsent() < most_unsent) {
      const std::vector<TaskOutput> all = tasks_.read();
      if (all.empty()) return;
      for (const TaskOutput& each : all) send(TaskText{each.rank, each.stream, each.bytes});
    }
  }

  // All output first, also what came through PMIx, then the ends.
  void report_tasks() {
    tasks_.notice_ends();
    receive_pmix();
    report_ends();
  }

  void report_ends() {
    send_output();
    const std::vector<TaskEnd> ends = tasks_.reap();
    if (!ends.empty()) beat();  // their last steps
    for (const TaskEnd& end : ends) report_end(end);
  }

  void report_end(const TaskEnd& end) {
    send(Ended{attempt_, end.rank, end.code, end.signal, ending_, end.last_output});
  }

  void receive_pmix() {
    for (FromPmixServer& each : pmix_.receive()) {
      std::visit(Overloads{
                     [](PmixReady&) {},  // heard by PmixNode
                     [this](PmixAbort& abort) { report_abort(abort); },
                     [this](PmixLog& log) { report_log(log); },
                     [this](auto& other) {
                       send(PmixNews{attempt_, std::move(other)});
                     },
                 },
                 each);
    }
  }

  // Answers the rank only after reporting its abort: the rank may then exit with status 0, which
  // must not hide the abort.
  void report_abort(const PmixAbort& abort) {
    report_ends();
    const auto end = tasks_.give_up(abort.rank, static_cast<int>(abort.status), abort.text);
    if (end) report_end(*end);
    pmix_.send(PmixRelease{abort.rank});
  }

  // As if the rank had written it.
  void report_log(const PmixLog& log) {
    send_output();
    tasks_.add_output({log.rank, static_cast<int>(log.stream), log.text});
    send(TaskText{log.rank, log.stream, log.text});
  }

  void receive() {
    if (!wire_.receive()) lose_launcher();
    while (const auto message = wire_.next()) {
      last_message_ = Clock::now();
      ToAgent order = decode_order(*message);
      std::visit([this](auto& each) { handle(each); }, order);
    }
    // Cut off: the other nodes may have restarted without us, and must not run into our tasks.
    if (Clock::now() - last_message_ > limit_) lose_launcher();
  }

  void report_checkpoints() {
    if (!checkpoints_) return;
    for (std::string& each : checkpoints_->receive()) send(CheckpointNews{std::move(each)});
  }

  void handle(const CheckpointOrder& order) {
    if (checkpoints_) checkpoints_->send(order.bytes);
  }

  void lose_launcher() { over_ = is_lost_ = true; }

  static ToAgent decode_order(const std::string& message) try {
    return decode<ToAgent>(message);
  } catch (const Error& error) {
    throw error.within("the launcher sent an invalid message");
  }

  void handle(const LauncherBeat&) {}
  void handle(const AskRas& order) { watch_.ask_ras(order, tasks_); }
  void handle(const End&) { is_ended_ = over_ = true; }
  void handle(const Signal& signal) { tasks_.signal(static_cast<int>(signal.number)); }

  void handle(PmixOrder& order) {
    if (order.attempt != attempt_) return;
    std::visit([this](auto& each) { pmix_.send(std::move(each)); }, order.body);
  }

  void handle(Start& order) {
    attempt_ = order.attempt;
    watch_.begin(order);
    ending_ = false;
    if (order.pmix.node == 0) offer_ports();  // for the next attempt: it may begin here again
    log_.skip();
    xids_.news();
    kernel_ = {};
    tasks_.forget();
    energy_.begin(attempt_);
    pmix_.begin(order.pmix);
    waiting_ = with_lists_of_nodes(std::move(order));
  }

  // Without the container, this node is of no use: another one takes its place.
  bool container_is_ready() {
    if (container_ == nullptr) return true;
    if (container_->is_gone()) throw Error("the process that holds this node's container is gone");
    if (container_->ready()) return true;
    if (Clock::now() - begin_ > container_limit)
      throw Error(fmt::format("no container within {} minutes", container_limit.count()));
    return false;
  }

  // Starts tasks once the PMIx server is ready, which takes a few milliseconds per attempt, and the
  // container, which is made once.
  void start_tasks() {
    if (!waiting_ || !pmix_.settled() || !container_is_ready()) return;
    const Start order = *std::exchange(waiting_, std::nullopt);
    // All nodes derive the same key, so it is never sent.
    const std::string run_key =
        to_hex(hmac_sha256(key_, fmt::format("tasks of attempt {}", order.attempt)));
    size_t local = 0;
    for (const StartedTask& task : order.tasks) {
      Variables variables = order.set;
      variables[run_key_variable] = run_key;
      for (const auto& [name, value] : task.set) variables[name] = value;
      for (const auto& [name, value] : pmix_.variables(local++)) variables[name] = value;
      if (checkpoints_) checkpoints_->add_variable(task.rank, variables);
      tasks_.start(task.rank, order.command, variables, order.unset,
                   container_ == nullptr ? nullptr : &container_->container());
    }
  }

  void handle(const Stop& order) {
    waiting_.reset();
    report_tasks();
    Stopped stopped;
    stopped.attempt = attempt_;
    for (const OddProcess& each : tasks_.odd_processes())
      stopped.odd.push_back({each.rank, each.text});
    stopped.held = end_tasks(milliseconds(order.grace_ms));
    report_tasks();
    pmix_.end();
    read_kernel_log();
    stopped.kernel = kernel_.all;
    stopped.broken = kernel_.broken;
    stopped.health = check_this_node(health_limit, [this] {
      beat();
      report_energy();
    });
    send(stopped);
  }

  // Sends a measurement when it is complete; nobody waits for it.
  void report_energy() {
    if (!waiting_ && !tasks_.running()) energy_.end();
    for (const MeasuredEnergy& each : energy_.finished()) send(Energy{each.attempt, each.joules});
  }

  // Returns the new lines that call for taking the node out of service.
  std::vector<std::string> read_kernel_log() {
    KernelLines lines = log_.lines(xids_.news());
    add_lines(kernel_, lines);
    return lines.broken;
  }

  // Runs while tasks do: tasks on a broken node may hang for long before they fail.
  void report_health() {
    const auto now = Clock::now();
    if (ending_ || !tasks_.running() || now - last_check_ < health_interval) return;
    last_check_ = now;
    std::vector<std::string> reasons = health_.news();
    for (const std::string& line : read_kernel_log()) reasons.push_back("kernel: " + line);
    if (!reasons.empty()) send(Health{attempt_, reasons});
  }

  void report_watched() {
    if (const auto said = watch_.take_ras()) send(*said);
    if (!ending_ && tasks_.running() && watch_.is_due()) send(watch_.look(tasks_));
  }

  // A node without health checks has no folder for reports, and the job does not need it.
  void handle(const Report& report) {
    health::leave_report(health::reports_folder,
                         {report.job, report.attempt, report.cause, report.detail});
  }

  // The launcher cannot do this itself: requeueing ends the batch script that it runs in.
  void handle(const Requeue& order) {
    is_ended_ = true;  // even if it fails, the launcher has handled the job
    try {
      ignore_end_of_step();
      RealSlurmPrograms slurm;
      const RequeueResult outcome =
          requeue_job({order.job, orphan_.run.restarts}, order.bad, order.comment, slurm);
      if (outcome.what != RequeueOutcome::requeued)
        return send(Refused{outcome.text.empty() ? "this run of the job is over" : outcome.text});
      stay_until_free(order.bad, slurm);
    } catch (const Error& error) {
      send(Refused{error.what()});
    }
  }

  std::vector<std::string> end_tasks(milliseconds grace) {
    ending_ = true;
    const auto meanwhile = [this] {
      send_output();
      beat();
    };
    std::vector<pid_t> others = energy_.processes();
    for (const auto& all : {pmix_.processes(), watch_.processes()})
      std::ranges::copy(all, std::back_inserter(others));
    if (checkpoints_) others.push_back(checkpoints_->process());
    if (xids_.process() != 0) others.push_back(xids_.process());
    return tasks_.end_all(grace, kill_limit, meanwhile, others);
  }

  void beat() {
    const std::vector<TaskProgress> all = tasks_.progress();
    const auto now = Clock::now();
    if (all.empty() && now - last_beat_ < limit_ / 8) return;
    last_beat_ = now;
    Beat beat = {attempt_, {}};
    for (const TaskProgress& each : all) beat.steps.push_back({each.rank, each.step, each.saved});
    send(beat);
  }

  milliseconds limit_;
  ContainerPlace* container_;
  Clock::time_point begin_ = Clock::now();
  Orphan orphan_;
  Secret key_;
  Wire wire_;
  Fd signals_;
  NodeTasks tasks_;
  EnergyMeter energy_;
  RankWatch watch_;
  PmixNode pmix_;
  PortOffers ports_;
  std::optional<CheckpointNode> checkpoints_;
  std::optional<Start> waiting_;  // for the PMIx server
  KernelLog log_{policy_here()};
  XidListener xids_;
  KernelLines kernel_;  // since the attempt began
  HealthWatch health_{std::filesystem::path(health::state_folder) / "last.json"};
  int64_t attempt_ = 0;
  bool ending_ = false, over_ = false;
  bool is_lost_ = false;   // lost the launcher without an End
  bool is_ended_ = false;  // the launcher sent End
  Clock::time_point last_message_ = Clock::now(), last_beat_ = {}, last_check_ = {};
};

}  // namespace

int run_agent() {
  take_all_cpus();
  AgentSettings settings = take_agent_settings();
  if (settings.orphan.joins) check_before_joining(settings.orphan.node);
  std::optional<ContainerPlace> container;
  if (!settings.container.empty()) container.emplace(settings.container, settings.orphan.node);
  return Agent(std::move(settings), container ? &*container : nullptr).run();
}

}  // namespace slipway::job
