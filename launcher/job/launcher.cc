// Attempts of a job: starts them, decides about failures, restarts or requeues.
#include "launcher/job/launcher.h"

#include <algorithm>
#include <chrono>

#include <fmt/core.h>

#include "common/count.h"
#include "common/host_list.h"
#include "launcher/job/explain.h"

namespace slipway::job {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto stop_limit = seconds(25);     // agents report after 20 s what they could not kill
constexpr auto grace = seconds(2);           // between SIGTERM and SIGKILL
constexpr auto requeue_limit = seconds(60);  // for Slurm to end a job that it has requeued
constexpr auto energy_limit = milliseconds(1500);  // for nodes to report their GPUs' energy
constexpr auto as_good_as_progress = std::chrono::hours(1);  // if the program reports no steps

}  // namespace

void Launcher::say(const std::string& text) {
  fmt::print(stderr, "slipway launch: {}\n", text);
}

std::filesystem::path ledger_path(const LaunchOptions& options, const std::string& job) {
  return options.ledger.empty() ? std::filesystem::path(ledger_name(job)) : options.ledger;
}

milliseconds to_milliseconds(double seconds) {
  return milliseconds(static_cast<int64_t>(seconds * 1000));
}

Launcher::Launcher(const LaunchOptions& options, Allocation allocation)
    : options_(options),
      allocation_(std::move(allocation)),
      ledger_(ledger_path(options, allocation_.label), allocation_.label, async_,
              allocation_.restarts > 0),
      state_file_(allocation_.job),
      teller_(options.tell, allocation_.job),
      output_(async_, options.label),
      watch_(options.progress, async_),
      from_outside_(options),
      agents_(allocation_.nodes, to_milliseconds(options.heartbeat_seconds), allocation_.here),
      variables_(task_variables(options)),
      restarts_(options.restarts),
      run_({allocation_.job, allocation_.restarts}, to_milliseconds(options.heartbeat_seconds),
           [this](bool stops) { hold_step(stops); }) {
  if (options_.fast_checkpoints) begin_board();
  if (!options_.grow) return;
  // A node that was lost may come back when the attempt that lost it is over.
  agents_.open_to_others([this](const std::string& node) {
    return growth_ && growth_->may_join(node) &&
           std::ranges::find(choice_.nodes, node) == choice_.nodes.end();
  });
}

void Launcher::add_bad(const std::string& node) {
  if (std::ranges::find(bad_, node) == bad_.end()) bad_.push_back(node);
}

int Launcher::run() {
  ledger_.begin(options_.command);
  begin_agents();
  begin_container();
  choose_first();
  begin_growth();
  for (;;) {
    if (const auto status = too_few()) return *status;
    Attempt attempt = run_attempt();
    if (run_.is_over()) return give_way();
    if (container_is_lost_ && cancelled_ == 0) return end("failed", 1);
    if (cancelled_) return end("cancelled", attempt.status() == 0 ? cancelled_ : attempt.status());
    if (attempt.is_planned() && !attempt.has_failed()) {
      grow(attempt);
      continue;
    }
    if (!attempt.has_failed()) return end("done", 0);
    if (!may_restart(attempt)) return end("failed", attempt.status());
  }
}

Attempt Launcher::run_attempt() {
  Attempt attempt(ledger_.next_attempt(),
                  {allocation_.job, choice_.nodes, tasks_per_node(), ledger_.next_attempt() - 1,
                   static_cast<int64_t>(ledger_.last_nodes()) * tasks_per_node()},
                  allocation_.here);
  if (growth_) growth_->begin_attempt();
  watch_.forget();
  hang_.reset();
  is_stalled_ = false;
  ledger_.start(attempt.number(), choice_);
  energy_.begin(attempt.number(), choice_.nodes);
  from_outside_.begin(choice_.nodes, tasks_per_node());
  say(fmt::format("attempt {} on {}, {}", attempt.number(), counted(choice_.nodes.size(), "node"),
                  counted(choice_.spares.size(), "spare")));
  take_ports(attempt);
  restore_checkpoints(attempt);
  if (attempt.number() == 1)
    for (const std::string& note : variables_.notes(attempt.world())) say(note);
  const Start for_all =
      attempt.start_message(options_.command, variables_, taken_, from_outside_.interval());
  for (size_t node = 0; node < choice_.nodes.size(); ++node) {
    Start start = for_all;
    attempt.address(start, node, variables_);
    start.set.merge(variables_of_joined(choice_.nodes[node]));
    agents_.send(choice_.nodes[node], start);
  }
  while (!attempt.all_ended() && !is_over(attempt)) {
    if (grows_now(attempt)) attempt.plan_end();
    if (!attempt.is_planned()) pump(&attempt, patience(attempt));
    if (cancelled_ == 0 && !run_.is_over()) check_stall(attempt);
  }
  const bool all_well = attempt.all_ended() && !attempt.has_failed();
  noticed_ms_ = now_ms();
  while (cancelled_ == 0 && !run_.is_over() && attempt.may_tell_more())
    pump(&attempt, milliseconds(50));
  if (!all_well && !run_.is_over()) stop(attempt);
  if (!all_well && !run_.is_over() && is_alone(attempt)) run_.ask_slurm("all other nodes are gone");
  if (run_.is_over()) return attempt;
  output_.put_rest();
  ledger_.last_progress(attempt.number(), attempt.step());
  return attempt;
}

// The step at which a program resumes is soon followed by others, and nothing announces changes
// of the progress file.
milliseconds Launcher::patience(const Attempt& attempt) const {
  return !options_.progress.empty() && attempt.step().step < 0 ? milliseconds(5)
                                                               : milliseconds(250);
}

void Launcher::check_stall(Attempt& attempt) {
  const auto stall = to_milliseconds(options_.stall_seconds);
  if (stall.count() == 0 || Clock::now() - attempt.last_progress() <= stall) {
    is_stalled_ = false;
    return;
  }
  if (!std::exchange(is_stalled_, true)) ask_ras(attempt, {});
  if (ras_.is_over())
    attempt.stalled(std::chrono::duration_cast<seconds>(stall), ras_.words(agents_.addresses()));
}

bool Launcher::is_over(const Attempt& attempt) const {
  if (at_once_ || container_is_lost_ || run_.is_over()) return true;
  if (cancelled_ != 0) return !attempt.evidence().gone.empty();
  return attempt.has_failed() || attempt.is_planned();
}

void Launcher::stop(Attempt& attempt) {
  for (const std::string& node : attempt.world().nodes) {
    agents_.send(node, Stop{milliseconds(grace).count()});
    if (!agents_.is_here(node)) attempt.handle({node, Gone{"its agent was already gone"}});
  }
  const auto begin = Clock::now();
  while (!attempt.all_stopped() && !run_.is_over() && Clock::now() - begin < stop_limit)
    pump(&attempt);
}

bool Launcher::may_restart(const Attempt& attempt) {
  Evidence evidence = attempt.evidence();
  evidence.progressed = attempt.step().step >= 0 ? ledger_.is_new_best(attempt.step().step)
                                                 : attempt.age() > as_good_as_progress;
  const Verdict verdict = judge(evidence, history_, words_);
  history_.push_back(verdict);
  ledger_.failure(attempt.number(), verdict, noticed_ms_);
  for (const std::string& line : verdict_lines(attempt.number(), verdict)) say(line);
  for (const std::string& node : verdict.nodes) {
    add_bad(node);
    if (growth_) growth_->lost(node, Clock::now());
  }
  for (const Accusation& each : verdict.accusations) {
    agents_.send(each.node, Report{allocation_.job, attempt.number(), each.cause, each.detail});
  }
  reason_ = requeue_comment(verdict);
  teller_.failure(fmt::format("attempt {}: {}", attempt.number(), reason_));

  if (const std::string why = restarts_.reason_to_stop(verdict, evidence.progressed);
      !why.empty()) {
    say(why);
    return false;
  }
  choice_ = next_choice(std::move(choice_), bad_, verdict, least());
  fill_places();
  if (options_.spares > 0 && choice_.spares.empty() && !verdict.nodes.empty()) {
    teller_.no_spares(
        static_cast<int64_t>(bad_.size()),
        fmt::format("{} blamed so far: {}", counted(bad_.size(), "node"), names_of_nodes(bad_)));
  }
  return true;
}

std::optional<int> Launcher::too_few() {
  std::erase_if(choice_.spares, [&](const std::string& node) { return !agents_.is_here(node); });
  if (cancelled_ != 0) return end("cancelled", cancelled_);
  if (!choice_.nodes.empty() && choice_.nodes.size() >= least()) return std::nullopt;
  say(fmt::format("{} left, {} needed: requeueing the job without {}",
                  counted(choice_.nodes.size(), "good node"), least(), names_of_nodes(bad_)));
  end_growth();
  wait_for_energy();
  ledger_.end("requeued", 1);
  async_.drain();
  teller_.finish_comment();  // that of the requeue is the last one
  queue_again();
  return end("failed", 1);
}

void Launcher::queue_again() {
  queueing_ = true;
  const auto here = std::ranges::find_if(
      allocation_.nodes, [&](const std::string& node) { return agents_.is_here(node); });
  if (here == allocation_.nodes.end()) return;
  agents_.send(*here, Requeue{allocation_.job, bad_, reason_});
  const auto begin = Clock::now();
  while (!refused_ && Clock::now() - begin < requeue_limit) pump(nullptr);
}

void Launcher::wait_for_energy() {
  const auto begin = Clock::now();
  while (energy_.waits() && Clock::now() - begin < energy_limit) pump(nullptr);
  for (const AttemptEnergy& energy : energy_.rest()) ledger_.energy(energy);
}

int Launcher::give_way() {
  say(fmt::format("this run of the job is over ({}): leaving the job to Slurm",
                  run_.over_because()));
  if (step_) step_->abandon();
  if (container_) container_->abandon();
  end_agents();
  return 1;
}

int Launcher::end(const char* result, int status) {
  growth_.reset();
  if (status == 0) wait_for_disk();
  wait_for_energy();
  end_agents();
  ledger_.end(result, status);
  return status;
}

}  // namespace slipway::job
