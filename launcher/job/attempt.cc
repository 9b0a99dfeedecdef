// One attempt of a job.
#include "launcher/job/attempt.h"

#include <fmt/format.h>

#include <algorithm>

namespace slipway::job {
namespace {

// Of the agents' own step, and nothing to the tasks.
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

std::string text_of(const Message& bytes) {
  const auto& binary = bytes.get_binary();
  return {binary.begin(), binary.end()};
}

}  // namespace

Attempt::Attempt(int64_t number, World world, const std::string& launcher_node)
    : number_(number), world_(std::move(world)), pmix_(world_) {
  evidence_.nodes = world_.nodes;
  evidence_.launcher_node = launcher_node;
}

Message Attempt::start_message(size_t node, const std::vector<std::string>& command,
                               const Variables& taken) const {
  Variables all = world_variables(world_);
  all.insert(taken.begin(), taken.end());
  Message tasks = Message::array();
  for (int64_t local = 0; local < world_.tasks_per_node; ++local) {
    const auto of_node = static_cast<int64_t>(node);
    tasks.push_back({{"rank", of_node * world_.tasks_per_node + local},
                     {"set", rank_variables(world_, of_node, local)}});
  }
  return {{"do", "start"},
          {"attempt", number_},
          {"command", command},
          {"set", all},
          {"unset", agents_own},
          {"tasks", tasks},
          {"pmix",
           {{"name", fmt::format("slipway.{}.{}", world_.job, number_)},
            {"nodes", world_.nodes},
            {"node", node},
            {"tasks_per_node", world_.tasks_per_node}}}};
}

std::vector<AgentEvent> Attempt::hear_pmix(const AgentEvent& event) {
  std::vector<AgentEvent> orders;
  if (event.message.at("attempt") != number_) return orders;
  for (PmixOrder& each : pmix_.hear(event.node, event.message.at("body"))) {
    orders.push_back(
        {each.node, {{"do", "pmix"}, {"attempt", number_}, {"body", std::move(each.body)}}});
  }
  return orders;
}

void Attempt::hear(const AgentEvent& event) {
  const auto is_ours = [&](const std::string& node) {
    return std::ranges::find(world_.nodes, node) != world_.nodes.end();
  };
  if (!is_ours(event.node)) return;
  const std::string what = event.message.at("is");
  if (what == "gone" && stopped_.insert(event.node).second) {
    evidence_.gone.push_back({event.node, event.message.at("text")});
  }
  if (event.message.value("attempt", int64_t{0}) != number_) return;
  if (what == "beat") hear_steps(event.node, event.message.at("steps"));
  if (what == "ended") hear_end(event.node, event.message);
  if (what == "stopped") hear_stopped(event.node, event.message);
  if (what == "health") hear_health(event.node, event.message.at("reasons"));
}

void Attempt::hear_steps(const std::string& node, const Message& steps) {
  for (const Message& each : steps) {
    steps_[each.at(0)] = each.at(1);
    reached(each.at(1));
  }
  const auto at = std::ranges::find(world_.nodes, node) - world_.nodes.begin();
  evidence_.steps.erase(node);
  for (const auto& [rank, step] : steps_) {
    if (rank / world_.tasks_per_node != at) continue;
    const auto known = evidence_.steps.emplace(node, step).first;
    known->second = std::min(known->second, step);
  }
}

void Attempt::reached(int64_t step) {
  step_ = std::max(step_, step);
  last_progress_ = Clock::now();
}

void Attempt::hear_end(const std::string& node, const Message& message) {
  RankEnd end;
  end.rank = message.at("rank");
  ended_.insert(end.rank);
  end.code = message.at("code");
  end.signal = message.at("signal");
  if (message.at("told") == true || (end.code == 0 && end.signal == 0)) return;
  end.node = node;
  end.words = text_of(message.at("words"));
  end.after_ms = age().count();
  evidence_.ends.push_back(std::move(end));
}

void Attempt::hear_stopped(const std::string& node, const Message& message) {
  stopped_.insert(node);
  for (const Message& each : message.at("odd")) evidence_.odd.push_back({node, each.at("text")});
  for (const Message& each : message.at("held")) evidence_.held.push_back({node, each});
  for (const Message& each : message.at("kernel")) evidence_.kernel.push_back({node, each});
  for (const Message& each : message.at("broken")) evidence_.broken.push_back({node, each});
  hear_health(node, message.at("health"));
}

void Attempt::hear_health(const std::string& node, const Message& reasons) {
  for (const Message& each : reasons) {
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
         evidence_.stalled_seconds > 0;
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
