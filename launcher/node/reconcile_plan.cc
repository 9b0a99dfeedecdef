// Plans what brings Slurm and the cloud in agreement.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "launcher/node/reconcile.h"

namespace slipway::node {
namespace {

constexpr int64_t first_wait = 60, longest_wait = 3600;  // seconds between attempts

// Reasons that Slurm itself gives when a node does not come or goes silent.
bool is_from_slurm(const std::string& reason) {
  return reason.empty() || reason.starts_with("ResumeTimeout reached") ||
         reason.starts_with("Not responding");
}

bool is_ours(const std::string& reason) {
  return reason.starts_with(own_reason);
}

}  // namespace

Graces Graces::at_most(int64_t seconds) const {
  return {std::min(gone, seconds), std::min(orphan, seconds), std::min(silent, seconds),
          std::min(failed, seconds), std::min(policy, seconds)};
}

void Attempts::add(int64_t now) {
  next = now + std::min(longest_wait, first_wait << std::min(count, 10));
  ++count;
}

NodeName parse_node_name(const std::string& cluster, const std::string& name) {
  const size_t dash = name.rfind('-');
  if (!name.starts_with(cluster + "-") || dash <= cluster.size()) return {};
  NodeName parsed{name.substr(cluster.size() + 1, dash - cluster.size() - 1), -1};
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + dash + 1, end, parsed.number);
  const bool plain = error == std::errc() && rest == end && parsed.number >= 0 &&
                     std::to_string(parsed.number) == name.substr(dash + 1);
  return plain ? parsed : NodeName{};
}

bool is_own_machine(const std::string& cluster, const CloudMachine& machine) {
  const NodeName name = parse_node_name(cluster, machine.name);
  return name.number >= 0 && name.nodeset == machine.nodeset && !machine.joins;
}

bool Planner::Node::is_static() const {
  return nodeset != nullptr && number < nodeset->static_count;
}

bool Planner::Node::is_wanted() const {
  // Older files do not say how many nodes there are.
  const int count = nodeset == nullptr ? -1 : nodeset->static_count + nodeset->dynamic_count;
  return count == 0 || number < count;
}

bool Planner::Node::is_moving() const {
  return has("power_up") || has("powering_up") || has("power_down") || has("powering_down");
}

bool Planner::Node::is_held() const {
  return (has("down") || has("drain")) && !is_ours(state.reason) && !is_from_slurm(state.reason);
}

bool Planner::Node::is_on_duty() const {
  return !is_moving() && !has("powered_down") && !has("down") && !has("drain");
}

Planner::Planner(const Situation& situation, const Memory& memory)
    : situation_(situation), before_(memory) {
  plan_.memory.templates = memory.templates;
  plan_.memory.reservations = memory.reservations;
  plan_.memory.policies_checked = memory.policies_checked;
  plan_.memory.refused_configuration = memory.refused_configuration;
  plan_.memory.said = memory.said;
  for (const CloudMachine& machine : situation.machines.machines) {
    // A name can exist in two zones. The one that runs is the node.
    const CloudMachine*& known = machines_[machine.name];
    if (known == nullptr || known->is_off() || known->is_stopping()) known = &machine;
  }
}

Planner::Machine Planner::status_of(const Nodes* nodeset, const CloudMachine* machine) const {
  if (machine != nullptr) {
    if (machine->is_off()) return Machine::off;
    if (machine->is_stopping()) return Machine::stopping;
    return machine->status == "REPAIRING" ? Machine::repairing : Machine::running;
  }
  const std::set<std::string>& unknown = situation_.machines.unknown_zones;
  // The zones of a nodeset that is no longer in the cluster are not known.
  const bool complete =
      unknown.empty() ||
      (nodeset != nullptr && std::ranges::none_of(nodeset->zones, [&](const std::string& zone) {
         return unknown.contains(zone);
       }));
  return complete ? Machine::none : Machine::unknown;
}

std::vector<Planner::Node> Planner::nodes_of(const std::vector<NodeState>& states) const {
  std::vector<Node> nodes;
  for (const NodeState& state : states) {
    const NodeName name = parse_node_name(situation_.cluster.cluster, state.node);
    // Others are not ours to change: a site's own machines, and those that register themselves.
    if (name.number < 0 || !state.flags.contains("cloud") || state.flags.contains("dynamic_norm"))
      continue;
    const Nodes* nodeset = nodeset_of(situation_.cluster, state.node);
    const auto machine = machines_.find(state.node);
    const CloudMachine* found = machine == machines_.end() ? nullptr : machine->second;
    nodes.push_back({state, nodeset, name.number, found, status_of(nodeset, found)});
  }
  return nodes;
}

void Planner::add(Step::Kind kind, const Node& node, std::string why, bool if_gone) {
  Step step{kind, node.state.node, std::move(why), if_gone};
  if (node.machine != nullptr) {
    step.project = node.machine->project;
    step.zone = node.machine->zone;
  }
  plan_.steps.push_back(std::move(step));
}

bool Planner::lasts(const std::string& what, int64_t grace) {
  const auto before = before_.since.find(what);
  const int64_t since = before == before_.since.end() ? situation_.now : before->second;
  plan_.memory.since[what] = since;
  return situation_.now - since >= grace;
}

bool Planner::may_try(const std::string& what) {
  const auto before = before_.attempts.find(what);
  Attempts& attempts = plan_.memory.attempts[what];
  if (before != before_.attempts.end()) attempts = before->second;
  if (situation_.now < attempts.next) return false;
  attempts.add(situation_.now);
  return true;
}

// Slurm powers down only nodes that run nothing. Setting a node down first makes Slurm requeue its
// jobs.
void Planner::power_down(const Node& node, const std::string& why, bool if_gone) {
  if (!node.has("down")) add(Step::Kind::down, node, std::string(own_reason) + why, if_gone);
  add(Step::Kind::power_down, node, why, if_gone);
}

void Planner::plan_powered_down(const Node& node) {
  if (node.machine != nullptr || node.status != Machine::none) return;  // plan_orphans()
  // From 26.05 on, Slurm adds this to the reason that ResumeProgram gave, which stays visible for a
  // while.
  const bool gave_up = node.state.reason.ends_with(" : ResumeTimeout reached");
  const bool is_over = gave_up && lasts("given up " + node.state.node, situation_.graces.orphan);
  if ((node.is_held() && !is_over) || !node.is_wanted()) return;
  const std::string start = "start " + node.state.node;
  if (node.has("down") || node.has("drain")) {
    // Its machine could not be made, or did not register.
    if (!lasts("failed " + node.state.node, situation_.graces.failed)) {
      const auto attempts = before_.attempts.find(start);
      if (attempts != before_.attempts.end()) plan_.memory.attempts.insert(*attempts);
      return;
    }
    add(Step::Kind::available, node, "it can be started again");
  }
  if (node.is_static() && may_try(start)) {
    add(Step::Kind::power_up, node, "a static node without a machine");
  }
}

void Planner::plan_without_machine(const Node& node) {
  // A reason that ResumeProgram gave stays visible for a while.
  const Graces& graces = situation_.graces;
  const int64_t grace = node.is_held() ? graces.orphan : graces.gone;
  if (!lasts("gone " + node.state.node, grace)) return;
  power_down(node, "its machine is gone", true);
}

void Planner::plan_stopped(const Node& node) {
  // An administrator examines it, or the cloud brings it back.
  if (node.is_held() || node.machine->maintenance) return;
  if (node.machine->is_spot) {
    power_down(node, "its machine was preempted", false);
  } else if (lasts("stopped " + node.state.node, situation_.graces.gone)) {
    power_down(node, "its machine was stopped", false);
  }
}

// Slurm drains a node that already runs the job which it is to start: slurmctld was killed before
// it saved that, or a job came back sooner than its first start had ended. Once the node has no
// job, nothing is wrong with it.
void Planner::plan_twice_started(const Node& node) {
  if (!node.has("drain") || !node.has("idle") || node.has("completing")) return;
  if (!node.state.reason.starts_with("Duplicate jobid")) return;
  if (!lasts("twice " + node.state.node, situation_.graces.gone)) return;
  add(Step::Kind::resume, node, "the job that Slurm started twice has ended");
}

// The machine runs, and Slurm has given it up: its slurmd never came, or came to nothing.
void Planner::plan_silent(const Node& node) {
  const std::string& reason = node.state.reason;
  const bool given_up = reason.starts_with("ResumeTimeout reached") ||
                        reason.starts_with("Not responding") ||
                        reason.starts_with("slipway: the node is off");
  if (!node.has("down") || !given_up) return;
  if (!lasts("silent " + node.state.node, situation_.graces.silent)) return;
  add(Step::Kind::power_down, node, "it does not answer, so its machine is replaced");
}

void Planner::plan_node(const Node& node) {
  if (node.has("future") || node.has("unknown")) return;
  if (node.has("power_up") || node.has("powering_up")) {
    // ResumeProgram and ResumeTimeout deal with it, unless it was preempted while it booted.
    const auto attempts = before_.attempts.find("start " + node.state.node);
    if (attempts != before_.attempts.end()) plan_.memory.attempts.insert(*attempts);
    if (node.status == Machine::off &&
        lasts("stopped " + node.state.node, situation_.graces.orphan))
      power_down(node, "its machine stopped before it registered", false);
    return;
  }
  if (node.has("powered_down")) return plan_powered_down(node);
  if (node.has("power_down") || node.has("powering_down")) return;
  switch (node.status) {
    case Machine::unknown:
    case Machine::repairing:
      return;
    case Machine::none:
      return plan_without_machine(node);
    case Machine::off:
    case Machine::stopping:
      return plan_stopped(node);
    case Machine::running:
      if (!node.is_wanted()) return add(Step::Kind::replace, node, "slipway: no longer wanted");
      plan_twice_started(node);
      return plan_silent(node);
  }
}

// Machines of this cluster without a node that is on or on its way.
void Planner::plan_orphans(const std::vector<Node>& nodes) {
  std::map<std::string, const Node*> by_name;
  for (const Node& node : nodes) by_name[node.state.node] = &node;
  for (const CloudMachine& machine : situation_.machines.machines) {
    if (!is_own_machine(situation_.cluster.cluster, machine) || machine.is_stopping()) continue;
    const auto node = by_name.find(machine.name);
    if (node != by_name.end() && node->second->machine == &machine &&
        (!node->second->has("powered_down") || node->second->has("power_up"))) {
      continue;
    }
    if (!lasts("orphan " + machine.name + " " + machine.zone, situation_.graces.orphan)) continue;
    if (!may_try("remove " + machine.name + " " + machine.zone)) continue;
    plan_.steps.push_back({Step::Kind::remove, machine.name, "no node wants this machine", false,
                           machine.project, machine.zone});
  }
}

Plan Planner::result() && {
  const std::vector<Node> nodes = nodes_of(situation_.nodes);
  for (const Node& node : nodes) plan_node(node);
  plan_orphans(nodes);
  plan_maintenance(nodes);
  plan_replacements(nodes);
  return std::move(plan_);
}

Plan plan_steps(const Situation& situation, const Memory& memory) {
  return Planner(situation, memory).result();
}

}  // namespace slipway::node
