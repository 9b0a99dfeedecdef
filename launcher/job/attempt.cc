// Collects what agents report about one attempt of a job.
#include "launcher/job/attempt.h"

#include <fmt/core.h>

#include <algorithm>
#include <csignal>

#include "common/text.h"

namespace slipway::job {
namespace {

// Variables of the agents' own step, which mean nothing to the tasks.
const std::vector<std::string> agents_own = {"SLURM_GTIDS",
                                             "SLURM_TASK_PID",
                                             "SLURM_STEP_LAUNCHER_PORT",
                                             "SLURM_SRUN_COMM_HOST",
                                             "SLURM_SRUN_COMM_PORT",
                                             "SLURM_LAUNCH_NODE_IPADDR",
                                             "SLURM_CPU_BIND",
                                             "SLURM_CPU_BIND_TYPE",
                                             "SLURM_CPU_BIND_LIST",
                                             "SLURM_CPU_BIND_VERBOSE",
                                             "SLURM_OVERLAP",
                                             "SLURM_MPI_TYPE"};

}  // namespace

Attempt::Attempt(int64_t number, World world, const std::string& launcher_node)
    : number_(number), world_(std::move(world)), pmix_(world_) {
  evidence_.nodes = world_.nodes;
  evidence_.launcher_node = launcher_node;
  evidence_.tasks_per_node = world_.tasks_per_node;
  for (size_t i = 0; i < world_.nodes.size(); ++i) index_of_.emplace(world_.nodes[i], i);
}

void Attempt::use(const Ports& ports) {
  world_.port = ports.port;
  world_.second_port = ports.second;
}

Start Attempt::start_message(const std::vector<std::string>& command,
                             const TaskVariables& variables, const Variables& taken,
                             std::chrono::milliseconds watch_every) const {
  Start start;
  start.attempt = number_;
  start.command = command;
  start.set = variables.for_all(world_);
  const std::string nodes = join(world_.nodes, ",");
  std::erase_if(start.set, [&](const auto& variable) {
    if (variable.second != nodes) return false;
    start.set_to_nodes.push_back(variable.first);
    return true;
  });
  start.set.insert(taken.begin(), taken.end());
  if (world_.ranks_before > 0 && world_.ranks_before != world_.size())
    start.set["SLIPWAY_WORLD_CHANGED"] = std::to_string(world_.ranks_before);
  start.unset = agents_own;
  start.pmix = {fmt::format("slipway.{}.{}", world_.job, number_), world_.nodes, 0,
                world_.tasks_per_node};
  start.watch_ms = watch_every.count();
  return start;
}

void Attempt::address(Start& start, size_t node, const TaskVariables& variables) const {
  start.pmix.node = static_cast<int64_t>(node);
  start.tasks.clear();
  for (int64_t local = 0; local < world_.tasks_per_node; ++local) {
    const Place place = {start.pmix.node, local};
    start.tasks.push_back({place.rank(world_), variables.for_task(world_, place)});
  }
}

std::vector<PmixDelivery> Attempt::handle_pmix(const std::string& node, const PmixNews& news) {
  if (news.attempt != number_) return {};
  return pmix_.handle(node, news.body);
}

void Attempt::handle(const AgentEvent& event) {
  const auto found = index_of_.find(event.node);
  if (found == index_of_.end()) return;
  const size_t node = found->second;
  // Late messages belong to an earlier attempt.
  const auto if_ours = [&](const auto& news, auto handle) {
    if (news.attempt == number_) handle();
  };
  std::visit(Overloads{
                 [&](const Gone& gone) {
                   if (stopped_.insert(event.node).second)
                     evidence_.gone.push_back({event.node, gone.text});
                 },
                 [&](const Beat& beat) { if_ours(beat, [&] { handle_steps(node, beat); }); },
                 [&](const Ended& end) { if_ours(end, [&] { handle_end(node, end); }); },
                 [&](const Stopped& all) { if_ours(all, [&] { handle_stopped(node, all); }); },
                 [&](const Health& health) {
                   if_ours(health, [&] { handle_health(event.node, health.reasons); });
                 },
                 [](const auto&) {},  // handled elsewhere
             },
             event.news);
}

void Attempt::check_rank(size_t node, int64_t rank) const {
  if (rank / world_.tasks_per_node == static_cast<int64_t>(node)) return;
  throw InvalidMessage(fmt::format("rank {} does not run on that node", rank));
}

void Attempt::handle_steps(size_t node, const Beat& beat) {
  for (const RankStep& each : beat.steps) {
    check_rank(node, each.rank);
    steps_[each.rank] = each.step;
    saved_ = std::max(saved_, each.saved);
    reached(each.step);
  }
  const std::string& name = world_.nodes[node];
  evidence_.steps.erase(name);
  const int64_t first = Place{static_cast<int64_t>(node), 0}.rank(world_);
  for (auto at = steps_.lower_bound(first);
       at != steps_.end() && at->first < first + world_.tasks_per_node; ++at) {
    const auto known = evidence_.steps.emplace(name, at->second).first;
    known->second = std::min(known->second, at->second);
  }
}

void Attempt::reached(int64_t step) {
  last_progress_ = Clock::now();
  if (step <= step_.step) return;
  step_ = {step, now_ms()};
  if (first_step_.step < 0) first_step_ = step_;
}

void Attempt::handle_end(size_t node, const Ended& message) {
  check_rank(node, message.rank);
  if (!ended_.insert(message.rank).second) return;
  if (message.code == 0 && message.signal == 0) return;
  RankEnd end;
  end.rank = message.rank;
  end.node = world_.nodes[node];
  end.code = static_cast<int>(message.code);
  end.signal = static_cast<int>(message.signal);
  end.last_output = message.last_output;
  end.after_ms = age().count();
  if (message.by_agent || is_planned_) {
    evidence_.stopped.push_back(std::move(end));
    return;
  }
  last_end_ = Clock::now();
  if (evidence_.ends.empty()) first_end_ = last_end_;
  evidence_.ends.push_back(std::move(end));
}

void Attempt::handle_stopped(size_t at, const Stopped& stopped) {
  const std::string& node = world_.nodes[at];
  stopped_.insert(node);
  for (const RankNote& each : stopped.odd) evidence_.odd.push_back({node, each.text});
  for (const std::string& each : stopped.held) evidence_.held.push_back({node, each});
  for (const std::string& each : stopped.kernel) evidence_.kernel.push_back({node, each});
  for (const std::string& each : stopped.broken) evidence_.broken.push_back({node, each});
  handle_health(node, stopped.health);
}

void Attempt::handle_health(const std::string& node, const std::vector<std::string>& reasons) {
  for (const std::string& each : reasons) {
    const NodeNote note = {node, each};
    const bool known = std::ranges::any_of(evidence_.health, [&](const NodeNote& other) {
      return other.node == note.node && other.text == note.text;
    });
    if (!known) evidence_.health.push_back(note);
  }
}

bool Attempt::all_ended() const {
  return static_cast<int64_t>(ended_.size()) == world_.size();
}

bool Attempt::has_failed() const {
  return !evidence_.ends.empty() || !evidence_.gone.empty() || !evidence_.health.empty() ||
         evidence_.stalled_seconds > 0 || !evidence_.watched.what.empty();
}

bool Attempt::may_tell_more() const {
  if (all_ended() || evidence_.ends.empty()) return false;
  if (!evidence_.gone.empty() || !evidence_.health.empty())
    return false;  // the cause is already known
  const auto now = Clock::now();
  const bool killed = evidence_.ends.back().signal == SIGKILL;
  return now - last_end_ < (killed ? quiet_after_kill : quiet) && now - first_end_ < longest_wait;
}

bool Attempt::all_stopped() const {
  return stopped_.size() == world_.nodes.size();
}

std::chrono::milliseconds Attempt::age() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin_);
}

Evidence Attempt::evidence() const {
  return evidence_;
}

int Attempt::status() const {
  if (evidence_.ends.empty()) return has_failed() ? 1 : 0;
  const RankEnd& first = evidence_.ends.front();
  return first.signal != 0 ? 128 + first.signal : first.code;
}

}  // namespace slipway::job
