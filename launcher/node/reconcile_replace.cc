// Plans which static nodes get a new machine because their template has changed.
#include <algorithm>

#include "common/replacement.h"
#include "launcher/node/reconcile.h"

namespace slipway::node {

// Dynamic nodes get the new template when they are powered up the next time.
bool Planner::is_outdated(const Node& node) const {
  if (!node.is_static() || node.status != Machine::running || node.machine->created == 0) {
    return false;
  }
  const auto made = plan_.memory.templates.find(node.nodeset->instance_template);
  return made != plan_.memory.templates.end() && node.machine->created < made->second;
}

int Planner::off_duty(const std::vector<Node>& nodes, const Nodes* nodeset) const {
  return static_cast<int>(std::ranges::count_if(nodes, [&](const Node& node) {
    return node.nodeset == nodeset && node.is_static() && !node.is_on_duty();
  }));
}

void Planner::plan_replacements(const std::vector<Node>& nodes) {
  std::map<const Nodes*, std::vector<const Node*>> outdated;
  for (const Node& node : nodes) {
    // A node that an administrator holds is replaced after its release.
    const bool changes = std::ranges::any_of(
        plan_.steps, [&](const Step& step) { return step.name == node.state.node; });
    if (node.is_on_duty() && !changes && is_outdated(node)) {
      outdated[node.nodeset].push_back(&node);
    }
  }
  for (auto& [nodeset, candidates] : outdated) {
    // Idle ones first: they are back before a job ends on the others.
    std::stable_partition(candidates.begin(), candidates.end(),
                          [](const Node* node) { return node->has("idle"); });
    const int room = replaced_at_once(nodeset->static_count) - off_duty(nodes, nodeset);
    for (int i = 0; i < room && i < static_cast<int>(candidates.size()); ++i) {
      add(Step::Kind::replace, *candidates[static_cast<size_t>(i)],
          "slipway: replaced, its template has changed");
    }
  }
}

}  // namespace slipway::node
