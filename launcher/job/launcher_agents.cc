// The agents of a job: their start, what they report, and signals to the job.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>

#include <fmt/core.h>

#include "common/error.h"
#include "common/host_list.h"
#include "launcher/job/launcher.h"

namespace slipway::job {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr auto agents_limit = std::chrono::seconds(60);  // for all agents to connect
constexpr size_t most_backlog = size_t{16} << 20;

}  // namespace

AgentSettings Launcher::agent_settings() const {
  AgentSettings settings;
  settings.orphan.run = {allocation_.job, allocation_.restarts};
  settings.orphan.launcher = allocation_.here;
  settings.orphan.port = agents_.port();
  settings.orphan.ledger = std::filesystem::absolute(ledger_path(options_, allocation_.label));
  settings.key = agents_.key();
  settings.heartbeat = to_milliseconds(options_.heartbeat_seconds);
  settings.with_pmix = options_.mpi == "pmix";
  settings.container = container_folder_;
  settings.with_checkpoints = options_.fast_checkpoints;
  settings.checkpoint_bytes = options_.checkpoint_bytes;
  return settings;
}

// Beside the ledger: a job's /tmp is its own, and other plugins may not see it.
std::filesystem::path Launcher::container_folder() const {
  const std::filesystem::path folder =
      std::filesystem::absolute(ledger_path(options_, allocation_.label)).parent_path() /
      (".slipway-container-" + to_hex(random_secret()).substr(0, 16));
  if (folder.native().find_first_of(",:'\"\\$` \t\n") != std::string::npos) {
    throw UsageError(
        fmt::format("{} cannot be mounted in a container: run in a folder without `,`, "
                    "`:`, quotes and spaces in its path",
                    folder.parent_path().native()));
  }
  return folder;
}

void Launcher::begin_agents() {
  if (options_.container.wanted) container_folder_ = container_folder();
  taken_ = take_step_options();
  if (options_.nccl_watch) {
    taken_.merge(inspector_variables());
    if (const std::string text = inspector_warning(taken_); !text.empty()) say(text);
  }
  step_.emplace(allocation_.nodes, agent_variables(agent_settings()), options_.srun);
  raise_descriptor_limit();  // for unproven connections; tasks keep the old limit
  const auto begin = Clock::now();
  while (agents_.missing() > 0 && Clock::now() - begin < agents_limit && !cancelled_) {
    pump(nullptr);
    if (!step_->runs()) throw Error("srun ended before agents started on all nodes");
  }
}

void Launcher::begin_container() {
  if (!options_.container.wanted) return;
  std::vector<std::string> nodes;
  for (const std::string& node : allocation_.nodes)
    if (agents_.is_here(node)) nodes.push_back(node);
  container_.emplace(nodes, options_.container, options_.srun, container_folder_);
}

void Launcher::check_container() {
  if (!container_ || container_is_lost_ || container_->runs()) return;
  container_is_lost_ = true;
  say("the step of the container has ended: its messages are above");
}

void Launcher::choose_first() {
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

void Launcher::take_ports(Attempt& attempt) {
  const std::string& first = attempt.world().nodes.front();
  while (!ports_.contains(first) && agents_.is_here(first) && !is_over(attempt)) pump(&attempt);
  const auto offer = ports_.extract(first);
  if (offer) attempt.use(offer.mapped());
}

void Launcher::hold_step(bool stops) {
  if (step_) step_->hold(stops);
  if (container_) container_->hold(stops);
}

bool Launcher::is_alone(const Attempt& attempt) const {
  bool has_others = false;
  for (const std::string& node : attempt.world().nodes) {
    if (node == allocation_.here) continue;
    if (agents_.is_here(node)) return false;
    has_others = true;
  }
  return has_others;
}

void Launcher::pump(Attempt* attempt, milliseconds timeout) {
  const bool read = async_.backlog() < most_backlog;
  const std::vector<AgentEvent> events = agents_.wait(timeout, signals_.fd(), read);
  if (run_.check_after_freeze()) return;
  say_who_is_gone(events);
  for (const AgentEvent& event : events) handle(event, attempt);
  send_checkpoint_orders();
  for (const AttemptEnergy& energy : energy_.complete()) ledger_.energy(energy);
  handle_signals(attempt);
  check_container();
  tend_growth();
  if (state_file_.is_due()) state_file_.write(ledger_.state());
  if (const auto step = watch_.changed(); step && attempt != nullptr) attempt->reached(*step);
  if (attempt != nullptr && !attempt->has_failed() && !attempt->all_ended())
    act_on_findings(*attempt);
  if (attempt != nullptr && attempt->step().step >= 0)
    ledger_.progress(attempt->number(), attempt->first_step(), attempt->step());
}

// A line for each reason, with all nodes that have it.
void Launcher::say_who_is_gone(const std::vector<AgentEvent>& events) {
  std::map<std::string, std::vector<std::string>> nodes;
  for (const AgentEvent& event : events) {
    if (const auto* gone = std::get_if<Gone>(&event.news)) nodes[gone->text].push_back(event.node);
  }
  for (const auto& [why, names] : nodes) {
    const std::string text = fmt::format("{}: {}", names_of_nodes(names), why);
    say(text);
    if (choice_.nodes.empty()) reason_ = text;  // no attempt yet
  }
}

void Launcher::handle(const AgentEvent& event, Attempt* attempt) {
  try {
    std::visit(Overloads{
                   [&](const TaskText& text) { write(text, attempt); },
                   [&](const Watched& watched) {
                     if (attempt != nullptr && watched.attempt == attempt->number())
                       from_outside_.handle(event.node, watched);
                   },
                   // Slurm ends the step: its tasks got the signal too.
                   [&](const StepSignal& signal) { cancel(static_cast<int>(signal.number)); },
                   [&](const PmixNews& news) {
                     if (attempt != nullptr) pass_on(event.node, news, *attempt);
                   },
                   [&](const Refused& refused) {
                     say(refused.text);
                     refused_ = true;
                   },
                   [&](const Ports& ports) { ports_[event.node] = ports; },
                   [&](const Gone& gone) {
                     add_bad(event.node);
                     if (growth_) growth_->lost(event.node, Clock::now());
                     if (growth_ && gone.has_other_version) growth_->refuse(event.node);
                     if (board_) board_->gone(event.node);
                   },
                   [&](const Joined&) { take_in(event.node); },
                   [&](const CheckpointNews& news) { hear_keeper(event.node, news); },
                   [&](const RasSaid& said) { ras_.hear(event.node, said); },
                   [](const auto&) {},  // handled below
               },
               event.news);
    energy_.handle(event);
    if (attempt != nullptr) attempt->handle(event);
  } catch (const InvalidMessage& error) {
    agents_.refuse(event.node, error.what());
  }
}

void Launcher::write(const TaskText& text, Attempt* attempt) {
  if (text.rank >= static_cast<int64_t>(allocation_.nodes.size()) * tasks_per_node())
    throw InvalidMessage(fmt::format("there is no rank {}", text.rank));
  output_.put(text.rank, static_cast<int>(text.stream), text.bytes);
  const auto step = from_outside_.output(text);
  if (step && attempt != nullptr) attempt->reached(*step);
}

void Launcher::act_on_findings(Attempt& attempt) {
  from_outside_.progressed(attempt.last_progress());
  if (const std::string news = from_outside_.news(); !news.empty()) say(news);
  for (const WatchFinding& finding : from_outside_.findings()) {
    if (finding.what != "hang") {
      act_on(finding, attempt);
      continue;
    }
    hang_ = finding;
    ask_ras(attempt, finding.nodes);
  }
  if (!hang_ || !ras_.is_over()) return;
  if (const std::string words = ras_.words(agents_.addresses()); !words.empty())
    hang_->evidence += "; " + words;
  act_on(*std::exchange(hang_, std::nullopt), attempt);
}

void Launcher::act_on(const WatchFinding& finding, Attempt& attempt) {
  say(fmt::format("{}: {}", finding.what, finding.evidence));
  ledger_.finding(attempt.number(), finding);
  if (from_outside_.ends_attempt(finding)) {
    attempt.watched(finding, from_outside_.blames(finding));
  } else {
    teller_.finding(fmt::format("{}: {}", finding.what, finding.evidence));
  }
}

void Launcher::ask_ras(const Attempt& attempt, const std::vector<std::string>& suspects) {
  for (const std::string& node : ras_.begin(attempt.number(), attempt.world().nodes, suspects))
    agents_.send(node, AskRas{attempt.number()});
}

void Launcher::pass_on(const std::string& node, const PmixNews& news, Attempt& attempt) {
  for (PmixDelivery& each : attempt.handle_pmix(node, news))
    agents_.send(each.node, PmixOrder{attempt.number(), std::move(each.body)});
  if (const std::string text = attempt.pmix_news(); !text.empty()) say(text);
}

void Launcher::handle_signals(Attempt* attempt) {
  for (const int number : signals_.take()) {
    if (attempt != nullptr)
      for (const std::string& node : attempt->world().nodes) agents_.send(node, Signal{number});
    if (number == SIGUSR1 || number == SIGUSR2) continue;
    if (cancelled_ != 0) at_once_ = true;
    cancel(number);
  }
}

void Launcher::cancel(int signal) {
  if (queueing_) return;
  if (cancelled_ == 0) {
    say(fmt::format("ending the job: received a signal ({})", ::strsignal(signal)));
    ledger_.end("cancelled", 128 + signal);
  }
  cancelled_ = 128 + signal;
}

void Launcher::end_agents() {
  for (const std::string& node : allocation_.nodes) agents_.send(node, End{});
  for (const std::string& node : others_) agents_.send(node, End{});
  end_growth();
  step_.reset();
  container_.reset();  // after the agents, with which it ends
  std::error_code ignored;
  // Lost nodes have left their parts.
  if (!container_folder_.empty()) std::filesystem::remove_all(container_folder_, ignored);
}

}  // namespace slipway::job
