// Finds dead nodes.
#include "launcher/node/dead_nodes.h"

#include <algorithm>
#include <array>

#include "common/text.h"

namespace slipway::node {

bool NodeState::is_waited_for() const {
  constexpr std::array put_off = {"down",          "future",          "unknown",     "power_down",
                                  "powered_down",  "powering_down",   "powering_up", "power_up",
                                  "reboot_issued", "reboot_requested"};
  const bool is_off =
      std::ranges::any_of(put_off, [&](const char* flag) { return flags.contains(flag); });
  return !is_off && (flags.contains("completing") || flags.contains("not_responding"));
}

bool NodeState::runs_jobs() const {
  return flags.contains("allocated") || flags.contains("mixed");
}

std::vector<NodeState> parse_node_states(std::string_view text) {
  std::map<std::string, NodeState> states;  // deduplicated: sinfo lists a node once for each
                                            // partition
  for (const std::string& line : split(text, '\n')) {
    const std::vector<std::string> words = split(line, '|');
    if (words.size() < 3) continue;
    NodeState state;
    state.node = trim(words[0]);
    for (const std::string& flag : split(to_lower(trim(words[1])), '+')) state.flags.insert(flag);
    state.reason = trim(words[2]);
    if (state.reason == "none") state.reason.clear();
    states[state.node] = std::move(state);
  }
  std::vector<NodeState> list;
  for (auto& [name, state] : states) list.push_back(std::move(state));
  return list;
}

std::vector<std::string> down_for(std::string_view reason, const std::vector<NodeState>& states) {
  constexpr std::array others = {
      "drain",         "fail",        "power_down",    "powered_down",
      "powering_down", "powering_up", "reboot_issued", "reboot_requested"};
  std::vector<std::string> nodes;
  for (const NodeState& state : states) {
    const bool is_put_off =
        std::ranges::any_of(others, [&](const char* flag) { return state.flags.contains(flag); });
    if (state.flags.contains("down") && state.reason == reason && !is_put_off)
      nodes.push_back(state.node);
  }
  return nodes;
}

std::vector<std::string> DeadNodes::to_probe(const std::vector<NodeState>& states,
                                             Clock::time_point now) {
  std::map<std::string, Waited> waited;
  std::vector<std::string> ask;
  up_ = 0;
  for (const NodeState& state : states) {
    const bool is_up = state.is_waited_for() ||
                       (!state.flags.contains("down") && !state.flags.contains("powered_down"));
    up_ += is_up ? 1 : 0;
    if (!state.is_waited_for()) continue;
    const auto before = waited_.find(state.node);
    Waited node = before == waited_.end() ? Waited{} : before->second;
    if (before != waited_.end()) node.again = true;
    node.runs_jobs = state.runs_jobs();
    if (node.again && now >= node.next) {
      node.probed = now;
      ask.push_back(state.node);
    }
    waited.emplace(state.node, node);
  }
  waited_ = std::move(waited);
  return ask;
}

std::vector<std::string> DeadNodes::dead(const std::set<std::string>& probed,
                                         const Answers& answers, Clock::time_point now) {
  std::vector<std::string> dead;
  for (const std::string& name : probed) {
    const auto found = waited_.find(name);
    if (found == waited_.end()) continue;
    Waited& node = found->second;
    const auto answer = answers.find(name);
    if (answer != answers.end() && (answer->second != Answer::kernel || node.runs_jobs)) {
      mark_alive(name, now);
      continue;
    }
    if (node.unanswered++ == 0) node.silent_since = node.probed;
    if (node.unanswered >= probes && now - node.silent_since >= dead_after) dead.push_back(name);
  }
  if (2 * dead.size() > up_) dead.clear();
  return dead;
}

void DeadNodes::mark_alive(const std::string& node, Clock::time_point now) {
  Waited& waited = waited_[node];
  waited.unanswered = 0;
  waited.next = now + probe_again_after;
}

}  // namespace slipway::node
