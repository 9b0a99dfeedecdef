// Runs a training job: starts attempts, decides about failures, restarts or requeues.
#include "launcher/job/launch.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>

#include "common/count.h"
#include "common/error.h"
#include "common/text.h"
#include "launcher/job/agent_settings.h"
#include "launcher/job/agent_step.h"
#include "launcher/job/agents.h"
#include "launcher/job/allocation.h"
#include "launcher/job/async_writer.h"
#include "launcher/job/attempt.h"
#include "launcher/job/choose_nodes.h"
#include "launcher/job/energy_tally.h"
#include "launcher/job/job_ledger.h"
#include "launcher/job/launch_checks.h"
#include "launcher/job/launcher_signals.h"
#include "launcher/job/output.h"
#include "launcher/job/restarts.h"
#include "launcher/job/run_watch.h"
#include "launcher/job/step_watch.h"
#include "launcher/job/verdict_text.h"

namespace slipway::job {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto agents_limit = seconds(60);   // for all agents to connect
constexpr auto stop_limit = seconds(25);     // agents report after 20 s what they could not kill
constexpr auto grace = seconds(2);           // between SIGTERM and SIGKILL
constexpr auto requeue_limit = seconds(60);  // for Slurm to end a job that it has requeued
constexpr auto energy_limit = milliseconds(1500);  // for nodes to report their GPUs' energy
constexpr size_t most_backlog = size_t{16} << 20;
constexpr auto as_good_as_progress = std::chrono::hours(1);  // if the program reports no steps

void say(const std::string& text) {
  fmt::print(stderr, "slipway launch: {}\n", text);
}

std::filesystem::path ledger_path(const LaunchOptions& options, const std::string& job) {
  return options.ledger.empty() ? std::filesystem::path(ledger_name(job)) : options.ledger;
}

milliseconds to_milliseconds(double seconds) {
  return milliseconds(static_cast<int64_t>(seconds * 1000));
}

class Launcher {
 public:
  Launcher(const LaunchOptions& options, Allocation allocation)
      : options_(options),
        allocation_(std::move(allocation)),
        ledger_(ledger_path(options, allocation_.label), allocation_.label, async_,
                allocation_.restarts > 0),
        output_(async_, options.label),
        watch_(options.progress, async_),
        agents_(allocation_.nodes, to_milliseconds(options.heartbeat_seconds), allocation_.here),
        restarts_(options.restarts),
        run_({allocation_.job, allocation_.restarts}, to_milliseconds(options.heartbeat_seconds),
             [this](bool stops) { hold_step(stops); }) {}

  int run() {
    ledger_.begin(options_.command);
    begin_agents();
    choose_first();
    for (;;) {
      if (const auto status = too_few()) return *status;
      Attempt attempt = run_attempt();
      if (run_.is_over()) return give_way();
      if (cancelled_)
        return end("cancelled", attempt.status() == 0 ? cancelled_ : attempt.status());
      if (!attempt.has_failed()) return end("done", 0);
      if (!may_restart(attempt)) return end("failed", attempt.status());
    }
  }

 private:
  size_t wanted() const { return allocation_.nodes.size() - static_cast<size_t>(options_.spares); }
  size_t least() const {
    return options_.min_nodes > 0 ? static_cast<size_t>(options_.min_nodes) : wanted();
  }

  void add_bad(const std::string& node) {
    if (std::ranges::find(bad_, node) == bad_.end()) bad_.push_back(node);
  }

  // --- the agents

  AgentSettings agent_settings() const {
    AgentSettings settings;
    settings.orphan.run = {allocation_.job, allocation_.restarts};
    settings.orphan.launcher = allocation_.here;
    settings.orphan.port = agents_.port();
    settings.orphan.ledger = std::filesystem::absolute(ledger_path(options_, allocation_.label));
    settings.key = agents_.key();
    settings.heartbeat = to_milliseconds(options_.heartbeat_seconds);
    settings.with_pmix = options_.mpi == "pmix";
    return settings;
  }

  void begin_agents() {
    taken_ = take_step_options();
    step_.emplace(allocation_.nodes, agent_variables(agent_settings()), options_.srun);
    raise_descriptor_limit();  // for unproven connections; tasks keep the old limit
    const auto begin = Clock::now();
    while (agents_.missing() > 0 && Clock::now() - begin < agents_limit && !cancelled_) {
      pump(nullptr);
      if (!step_->runs()) throw Error("srun ended before agents started on all nodes");
    }
  }

  void choose_first() {
    std::vector<std::string> good;
    for (const std::string& node : allocation_.nodes) {
      if (std::ranges::find(bad_, node) != bad_.end()) continue;  // already reported
      if (ledger_.is_blamed(node)) {
        say(fmt::format("leaving out {}: it was blamed before", node));
        add_bad(node);
      } else if (!agents_.is_here(node)) {
        say(fmt::format("leaving out {}: its agent did not start", node));
        add_bad(node);
      } else {
        good.push_back(node);
      }
    }
    choice_ = first_choice(good, wanted());
  }

  void hold_step(bool stops) {
    if (step_) step_->hold(stops);
  }

  bool is_alone(const Attempt& attempt) const {
    bool has_others = false;
    for (const std::string& node : attempt.world().nodes) {
      if (node == allocation_.here) continue;
      if (agents_.is_here(node)) return false;
      has_others = true;
    }
    return has_others;
  }

  int give_way() {
    say(fmt::format("this run of the job is over ({}): leaving the job to Slurm",
                    run_.over_because()));
    if (step_) step_->abandon();
    end_agents();
    return 1;
  }

  // Handles everything that has arrived. `attempt` may be null.
  void pump(Attempt* attempt, milliseconds timeout = milliseconds(250)) {
    const bool read = async_.backlog() < most_backlog;
    const std::vector<AgentEvent> events = agents_.wait(timeout, signals_.fd(), read);
    if (run_.check_after_freeze()) return;
    for (const AgentEvent& event : events) handle(event, attempt);
    for (const AttemptEnergy& energy : energy_.complete()) ledger_.energy(energy);
    handle_signals(attempt);
    if (const auto step = watch_.changed(); step && attempt != nullptr) attempt->reached(*step);
    if (attempt != nullptr && attempt->step().step >= 0)
      ledger_.progress(attempt->number(), attempt->first_step(), attempt->step());
  }

  void handle(const AgentEvent& event, Attempt* attempt) {
    try {
      std::visit(Overloads{
                     [&](const TaskText& text) { write(text); },
                     // Slurm ends the step: its tasks got the signal too.
                     [&](const StepSignal& signal) { cancel(static_cast<int>(signal.number)); },
                     [&](const PmixNews& news) {
                       if (attempt != nullptr) pass_on(event.node, news, *attempt);
                     },
                     [&](const Refused& refused) {
                       say(refused.text);
                       refused_ = true;
                     },
                     [&](const Gone& gone) {
                       say(fmt::format("{}: {}", event.node, gone.text));
                       add_bad(event.node);
                     },
                     [](const auto&) {},  // handled below
                 },
                 event.news);
      energy_.handle(event);
      if (attempt != nullptr) attempt->handle(event);
    } catch (const InvalidMessage& error) {
      agents_.refuse(event.node, error.what());
    }
  }

  void write(const TaskText& text) {
    if (text.rank >= static_cast<int64_t>(allocation_.nodes.size()) * tasks_per_node())
      throw InvalidMessage(fmt::format("there is no rank {}", text.rank));
    output_.put(text.rank, static_cast<int>(text.stream), text.bytes);
  }

  void pass_on(const std::string& node, const PmixNews& news, Attempt& attempt) {
    for (PmixDelivery& each : attempt.handle_pmix(node, news))
      agents_.send(each.node, PmixOrder{attempt.number(), std::move(each.body)});
    if (const std::string text = attempt.pmix_news(); !text.empty()) say(text);
  }

  void handle_signals(Attempt* attempt) {
    for (const int number : signals_.take()) {
      if (attempt != nullptr)
        for (const std::string& node : attempt->world().nodes) agents_.send(node, Signal{number});
      if (number == SIGUSR1 || number == SIGUSR2) continue;
      if (cancelled_ != 0) at_once_ = true;
      cancel(number);
    }
  }

  // Called when Slurm signals an agent or this launcher, whichever comes first. Ends the ledger
  // here: Slurm may leave no time for it after the tasks have ended.
  void cancel(int signal) {
    if (queueing_) return;
    if (cancelled_ == 0) {
      say(fmt::format("ending the job: received a signal ({})", ::strsignal(signal)));
      ledger_.end("cancelled", 128 + signal);
    }
    cancelled_ = 128 + signal;
  }

  // --- attempts

  Attempt run_attempt() {
    Attempt attempt(ledger_.next_attempt(),
                    {allocation_.job, choice_.nodes, tasks_per_node(), ledger_.next_attempt() - 1},
                    allocation_.here);
    watch_.forget();
    ledger_.start(attempt.number(), choice_);
    energy_.begin(attempt.number(), choice_.nodes);
    say(fmt::format("attempt {} on {}, {}", attempt.number(), counted(choice_.nodes.size(), "node"),
                    counted(choice_.spares.size(), "spare")));
    for (size_t node = 0; node < choice_.nodes.size(); ++node)
      agents_.send(choice_.nodes[node], attempt.start_message(node, options_.command, taken_));
    while (!attempt.all_ended() && !is_over(attempt)) pump(&attempt, patience(attempt));
    const bool all_well = attempt.all_ended() && !attempt.has_failed();
    noticed_ms_ = now_ms();
    while (cancelled_ == 0 && !run_.is_over() && attempt.may_tell_more())
      pump(&attempt, milliseconds(50));
    if (!all_well && !run_.is_over()) stop(attempt);
    if (!all_well && !run_.is_over() && is_alone(attempt))
      run_.ask_slurm("all other nodes are gone");
    if (run_.is_over()) return attempt;
    output_.put_rest();
    ledger_.last_progress(attempt.number(), attempt.step());
    return attempt;
  }

  // The step at which a program resumes is soon followed by others, and nothing announces changes
  // of the progress file.
  milliseconds patience(const Attempt& attempt) const {
    return !options_.progress.empty() && attempt.step().step < 0 ? milliseconds(5)
                                                                 : milliseconds(250);
  }

  bool is_over(Attempt& attempt) const {
    if (at_once_ || run_.is_over()) return true;
    if (cancelled_ != 0) return !attempt.evidence().gone.empty();
    const auto stall = to_milliseconds(options_.stall_seconds);
    if (stall.count() > 0 && Clock::now() - attempt.last_progress() > stall) {
      attempt.stalled(std::chrono::duration_cast<seconds>(stall));
    }
    return attempt.has_failed();
  }

  // Waits until all processes are gone and every node has reported what it knows.
  void stop(Attempt& attempt) {
    for (const std::string& node : attempt.world().nodes) {
      agents_.send(node, Stop{milliseconds(grace).count()});
      if (!agents_.is_here(node)) attempt.handle({node, Gone{"its agent was already gone"}});
    }
    const auto begin = Clock::now();
    while (!attempt.all_stopped() && !run_.is_over() && Clock::now() - begin < stop_limit)
      pump(&attempt);
  }

  int64_t tasks_per_node() const {
    return options_.tasks_per_node > 0 ? options_.tasks_per_node : allocation_.tasks_per_node;
  }

  // --- after a failure

  bool may_restart(const Attempt& attempt) {
    Evidence evidence = attempt.evidence();
    evidence.progressed = attempt.step().step >= 0 ? ledger_.is_new_best(attempt.step().step)
                                                   : attempt.age() > as_good_as_progress;
    const Verdict verdict = judge(evidence, history_, words_);
    history_.push_back(verdict);
    ledger_.failure(attempt.number(), verdict, noticed_ms_);
    for (const std::string& line : verdict_lines(attempt.number(), verdict)) say(line);
    for (const std::string& node : verdict.nodes) add_bad(node);
    for (const Accusation& each : verdict.accusations) {
      agents_.send(each.node, Report{allocation_.job, attempt.number(), each.cause, each.detail});
    }
    reason_ = requeue_comment(verdict);

    if (const std::string why = restarts_.reason_to_stop(verdict, evidence.progressed);
        !why.empty()) {
      say(why);
      return false;
    }
    choice_ = next_choice(std::move(choice_), bad_, verdict, least());
    return true;
  }

  // The exit status if too few nodes are left to start on.
  std::optional<int> too_few() {
    std::erase_if(choice_.spares, [&](const std::string& node) { return !agents_.is_here(node); });
    if (cancelled_ != 0) return end("cancelled", cancelled_);
    if (!choice_.nodes.empty() && choice_.nodes.size() >= least()) return std::nullopt;
    say(fmt::format("{} left, {} needed: requeueing the job without {}",
                    counted(choice_.nodes.size(), "good node"), least(), join(bad_, ", ")));
    wait_for_energy();
    ledger_.end("requeued", 1);
    async_.drain();
    queue_again();
    return end("failed", 1);
  }

  // Returns only if Slurm does not requeue the job: otherwise Slurm ends this process.
  void queue_again() {
    queueing_ = true;
    const auto here = std::ranges::find_if(
        allocation_.nodes, [&](const std::string& node) { return agents_.is_here(node); });
    if (here == allocation_.nodes.end()) return;
    agents_.send(*here, Requeue{allocation_.job, bad_, reason_});
    const auto begin = Clock::now();
    while (!refused_ && Clock::now() - begin < requeue_limit) pump(nullptr);
  }

  // Only when nothing will be started anymore, so that a driver that hangs delays nothing.
  void wait_for_energy() {
    const auto begin = Clock::now();
    while (energy_.waits() && Clock::now() - begin < energy_limit) pump(nullptr);
    for (const AttemptEnergy& energy : energy_.rest()) ledger_.energy(energy);
  }

  int end(const char* result, int status) {
    wait_for_energy();
    end_agents();
    ledger_.end(result, status);
    return status;
  }

  void end_agents() {
    for (const std::string& node : allocation_.nodes) agents_.send(node, End{});
    step_.reset();
  }

  LaunchOptions options_;
  FailureWords words_ = installed_failure_words();
  Allocation allocation_;
  LauncherSignals signals_;  // first: blocks signals before other threads start
  AsyncWriter async_;
  JobLedger ledger_;
  Output output_;
  StepWatch watch_;
  Agents agents_;
  EnergyTally energy_;
  Variables taken_;
  std::optional<AgentStep> step_;
  NodeChoice choice_;
  std::vector<std::string> bad_;  // for the rest of the job
  std::vector<Verdict> history_;
  Restarts restarts_;
  std::string reason_ = "nodes did not come up";
  int64_t noticed_ms_ = 0;
  int cancelled_ = 0;      // the exit status after a signal to end; 0: no signal
  bool at_once_ = false;   // a second signal: do not wait for the tasks
  bool queueing_ = false;  // we asked for a requeue, so Slurm ends us
  bool refused_ = false;   // Slurm did not requeue the job
  RunWatch run_;
};

}  // namespace

int launch(const LaunchOptions& options) {
  Allocation allocation = read_allocation();
  check_command(options.command.at(0));
  check_counts(options, allocation);
  const std::string warning = check_allocation(allocation, options.no_kill);
  if (!warning.empty()) say(warning);
  if (const std::string note = heterogeneity_note(); !note.empty()) say(note);
  return Launcher(options, std::move(allocation)).run();
}

}  // namespace slipway::job
