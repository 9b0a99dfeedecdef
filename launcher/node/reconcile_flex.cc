// Finds groups of flex-start machines that nobody needs.
#include "launcher/node/reconcile_flex.h"

#include <algorithm>

namespace slipway::node {

std::vector<MadeGroup> unused_groups(const Situation& situation,
                                     const std::vector<GroupOfNodes>& groups, Memory& memory,
                                     const Memory& before) {
  std::set<std::string> wanted;
  for (const CloudMachine& machine : situation.machines.machines) wanted.insert(machine.name);
  for (const NodeState& node : situation.nodes) {
    if (node.flags.contains("powering_up")) wanted.insert(node.node);
  }
  std::vector<MadeGroup> unused;
  for (const GroupOfNodes& one : groups) {
    if (std::ranges::any_of(one.nodes, [&](const auto& node) { return wanted.contains(node); })) {
      continue;
    }
    const std::string key = "group " + one.group.name;
    const auto known = before.since.find(key);
    const int64_t since = known == before.since.end() ? situation.now : known->second;
    memory.since[key] = since;
    if (situation.now - since >= situation.graces.policy) unused.push_back(one.group);
  }
  return unused;
}

}  // namespace slipway::node
