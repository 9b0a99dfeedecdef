// Plans which nodes are reserved, checked and admitted.
#include "launcher/node/admission.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "common/host_list.h"
#include "common/text.h"
#include "launcher/health/verdict.h"

namespace slipway::node {
namespace {

// A job in the reservation starts at once, unless something is wrong with its nodes.
constexpr int64_t longest_pending = 60;

using NodeNames = std::set<std::string>;

bool has_any(const NodeState& state, const auto& flags) {
  return std::ranges::any_of(flags, [&](const char* flag) { return state.flags.contains(flag); });
}

// Jobs cannot have it, whatever is reserved.
bool is_out(const NodeState& state) {
  constexpr std::array flags = {"down", "drain", "drained", "draining", "fail", "error"};
  return has_any(state, flags);
}

bool is_powered_off(const NodeState& state) {
  constexpr std::array flags = {"powered_down", "powering_down", "power_down", "powering_up",
                                "power_up"};
  return has_any(state, flags);
}

// Slurm resumes it without a reboot.
bool is_drained(const NodeState& state) {
  return is_out(state) && !state.flags.contains("down") && !is_powered_off(state);
}

bool is_idle(const NodeState& state) {
  constexpr std::array flags = {"not_responding", "completing", "reboot_issued", "reboot_requested",
                                "unknown"};
  return state.flags.contains("idle") && !is_out(state) && !is_powered_off(state) &&
         !has_any(state, flags);
}

bool is_active(const std::string& job_state) {
  constexpr std::array states = {"PENDING",  "CONFIGURING", "RUNNING",  "COMPLETING",
                                 "REQUEUED", "SUSPENDED",   "STAGE_OUT"};
  return std::ranges::find(states, job_state) != states.end();
}

class AdmissionPlanner {
 public:
  AdmissionPlanner(const AdmissionView& view, const health::DeepChecks& deep,
                   const AdmissionMemory& memory)
      : view_(view), deep_(deep), memory_(memory) {
    for (const AdmittedNode& node : view.nodes) nodes_[node.state.node] = &node;
    // Nodes that are no longer in Slurm's configuration cannot be named in a command.
    for (const std::string& name : view.reserved.value_or(NodeNames())) {
      if (nodes_.contains(name)) plan_.reserved.insert(name);
    }
    plan_.memory.attempts = memory.attempts;
  }

  AdmissionPlan plan() {
    read_checks();
    release();
    reserve();
    resume();
    check();
    plan_.memory.reserved = plan_.reserved;
    return std::move(plan_);
  }

 private:
  const NodeState& state_of(const std::string& name) const { return nodes_.at(name)->state; }

  bool any_is_out(const NodeCheck& check) const {
    const auto out = [&](const std::string& name) {
      return !nodes_.contains(name) || is_out(state_of(name));
    };
    return std::ranges::any_of(check.all(), out);
  }

  void cancel(const std::string& job, const std::string& why) {
    plan_.cancelled.push_back(job);
    plan_.said.push_back(fmt::format("job {} is cancelled: {}", job, why));
  }

  // If a node of a job fails while the job's prologs run, slurmctld 22.05 never starts its script.
  bool has_lost_its_begin(const std::string& job, const NodeCheck& check) const {
    const auto nodes = view_.unbegun.find(job);
    return nodes != view_.unbegun.end() && nodes->second < check.all().size();
  }

  // What has become of the jobs of earlier runs.
  void read_checks() {
    for (const auto& [job, check] : memory_.checks) {
      const auto found = view_.jobs.find(job);
      const std::string state = found == view_.jobs.end() ? "unknown" : found->second;
      if (state == "PENDING" &&
          (any_is_out(check) || view_.now - check.submitted > longest_pending)) {
        cancel(job, "it cannot start on " + host_list(check.nodes));
        end(check, false);
      } else if (is_active(state) && has_lost_its_begin(job, check)) {
        cancel(job, "it lost a node before it began");
        end(check, false);
      } else if (is_active(state)) {
        busy_.merge(check.all());
        plan_.memory.checks[job] = check;
      } else {
        if (state != "COMPLETED")
          plan_.said.push_back(fmt::format("job {} ended without a result: {}", job, state));
        end(check, state == "COMPLETED");
      }
    }
    for (const auto& [job, state] : view_.jobs) {
      if (is_active(state) && !memory_.checks.contains(job))
        cancel(job, "nothing is known about it");
    }
  }

  // A job that has a result has drained the nodes that did not pass.
  void end(const NodeCheck& check, bool has_result) {
    passed_.insert(check.partners.begin(), check.partners.end());
    for (const std::string& node : check.nodes) {
      if (has_result) {
        passed_.insert(node);
        plan_.memory.attempts.erase(node);
      } else {
        Attempts& attempts = plan_.memory.attempts[node];
        attempts.add(view_.now);
        attempts.next = std::min(attempts.next, view_.now + retry_seconds());
      }
    }
  }

  int64_t retry_seconds() const { return std::lround(deep_.retry_minutes * 60); }

  void release() {
    NodeNames released;
    for (const std::string& name : passed_) {
      if (!nodes_.contains(name)) continue;
      if (is_out(state_of(name))) {
        plan_.said.push_back(fmt::format("{} did not pass: {}", name, state_of(name).reason));
        continue;
      }
      if (plan_.reserved.erase(name) > 0) released.insert(name);
    }
    if (!released.empty()) plan_.said.push_back("jobs may have " + host_list(released));
  }

  bool has_to_wait(const AdmittedNode& node) const {
    const NodeState& state = node.state;
    if (is_out(state) && state.reason == health::waiting_reason) return true;
    if (node.on_demand) return false;
    // A machine that is about to boot can get a job before its slurmd registers.
    if (is_powered_off(state)) return deep_.at("boot") || deep_.at("new");
    return deep_.at("return") && is_out(state);
  }

  void reserve() {
    NodeNames added;
    for (const auto& [name, node] : nodes_) {
      if (has_to_wait(*node) && plan_.reserved.insert(name).second) added.insert(name);
    }
    if (!added.empty())
      plan_.said.push_back("reserved until their deep checks: " + host_list(added));
  }

  // Only nodes that the last run found reserved: if slurmctld is killed, it may forget its last
  // seconds, and must not forget the reservation of a node that it has resumed.
  void resume() {
    for (const std::string& name : plan_.reserved) {
      const AdmittedNode& node = *nodes_.at(name);
      if (!memory_.reserved.contains(name) || !view_.reserved || !view_.reserved->contains(name) ||
          !is_drained(node.state)) {
        continue;
      }
      const bool again = health::is_reason_of_deep_checks(node.state.reason) &&
                         node.since + retry_seconds() <= view_.now;
      if (node.state.reason == health::waiting_reason || again) plan_.resumed.push_back(name);
    }
  }

  void check() {
    NodeNames waiting;
    for (const std::string& name : plan_.reserved) {
      const auto attempts = plan_.memory.attempts.find(name);
      const bool is_early =
          attempts != plan_.memory.attempts.end() && attempts->second.next > view_.now;
      // Reserved by an earlier run, so that slurmctld has surely taken jobs off it.
      if (is_idle(state_of(name)) && !busy_.contains(name) && !is_early &&
          memory_.reserved.contains(name)) {
        waiting.insert(name);
      }
    }
    plan_.memory.waiting = waiting;
    // Nodes start one after another; those that come together are scanned together.
    if (waiting != memory_.waiting) return;
    std::map<std::string, NodeNames> by_partition;
    for (const std::string& name : waiting) by_partition[nodes_.at(name)->partition].insert(name);
    for (auto& [partition, names] : by_partition) {
      NodeCheck check{partition, names, partners_of(partition, names.size()), view_.now};
      plan_.reserved.insert(check.partners.begin(), check.partners.end());
      plan_.said.push_back(fmt::format(
          "checking {}{}", host_list(names),
          check.partners.empty() ? "" : ", in pairs also with " + host_list(check.partners)));
      plan_.checks.push_back(std::move(check));
    }
  }

  NodeNames partners_of(const std::string& partition, size_t checked) const {
    NodeNames partners;
    for (const auto& [name, node] : nodes_) {
      if (checked + partners.size() >= scanned_together) break;
      if (node->partition == partition && is_idle(node->state) && !node->on_demand &&
          !plan_.reserved.contains(name)) {
        partners.insert(name);
      }
    }
    return partners;
  }

  const AdmissionView& view_;
  const health::DeepChecks& deep_;
  const AdmissionMemory& memory_;
  std::map<std::string, const AdmittedNode*> nodes_;
  NodeNames busy_, passed_;
  AdmissionPlan plan_;
};

// Without a policy that wants checks, everybody may have every node.
AdmissionPlan plan_end(const AdmissionView& view) {
  AdmissionPlan plan;
  for (const auto& [job, state] : view.jobs) {
    if (is_active(state)) plan.cancelled.push_back(job);
  }
  if (view.reserved)
    plan.said.push_back("the policy wants no deep checks: jobs may have " +
                        host_list(*view.reserved));
  return plan;
}

}  // namespace

std::set<std::string> NodeCheck::all() const {
  std::set<std::string> names = nodes;
  names.insert(partners.begin(), partners.end());
  return names;
}

AdmissionPlan plan_admission(const AdmissionView& view, const health::DeepChecks& deep,
                             const AdmissionMemory& memory) {
  if (!deep.any()) return plan_end(view);
  return AdmissionPlanner(view, deep, memory).plan();
}

std::vector<std::string> still_drained(const std::vector<std::string>& names,
                                       const std::vector<AdmittedNode>& before,
                                       const std::vector<AdmittedNode>& now) {
  const auto find = [](const std::vector<AdmittedNode>& nodes, const std::string& name) {
    return std::ranges::find_if(nodes, [&](const auto& node) { return node.state.node == name; });
  };
  std::vector<std::string> left;
  for (const std::string& name : names) {
    const auto was = find(before, name), is = find(now, name);
    if (was != before.end() && is != now.end() && is_drained(is->state) &&
        is->since == was->since && is->state.reason == was->state.reason) {
      left.push_back(name);
    }
  }
  return left;
}

std::vector<AdmittedNode> parse_admitted_nodes(std::string_view text,
                                               const std::set<std::string>& always_on) {
  std::map<std::string, AdmittedNode> nodes;
  for (const std::string& line : split(text, '\n')) {
    const std::vector<std::string> words = split(line, '|');
    if (words.size() < 5) continue;
    const auto states = parse_node_states(fmt::format("{}|{}|{}", words[0], words[1], words[4]));
    if (states.empty()) continue;
    AdmittedNode node;
    node.state = states.front();
    node.since = to_number<int64_t>(std::string(trim(words[2]))).value_or(0);
    node.partition = trim(words[3]);
    node.on_demand = node.state.flags.contains("cloud") && !always_on.contains(node.state.node);
    const auto [known, is_new] = nodes.emplace(node.state.node, node);
    if (!is_new) known->second.partition = std::min(known->second.partition, node.partition);
  }
  std::vector<AdmittedNode> list;
  for (auto& [name, node] : nodes) list.push_back(std::move(node));
  return list;
}

}  // namespace slipway::node
