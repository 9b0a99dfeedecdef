// Chooses the nodes that an attempt runs on.
#include "launcher/job/choose_nodes.h"

#include <algorithm>

namespace slipway::job {

NodeChoice first_choice(const std::vector<std::string>& nodes, size_t wanted) {
  const auto end = nodes.begin() + static_cast<std::ptrdiff_t>(std::min(wanted, nodes.size()));
  return {{nodes.begin(), end}, {end, nodes.end()}};
}

NodeChoice next_choice(NodeChoice choice, const std::vector<std::string>& bad,
                       const Verdict& verdict, size_t least) {
  const auto is_bad = [&](const std::string& node) {
    return std::ranges::find(bad, node) != bad.end();
  };
  std::erase_if(choice.spares, is_bad);
  for (std::string& node : choice.nodes) {
    if (!is_bad(node) || choice.spares.empty()) continue;
    node = choice.spares.front();
    choice.spares.erase(choice.spares.begin());
  }
  std::erase_if(choice.nodes, is_bad);
  if (verdict.blame != Blame::unknown) return choice;
  const auto suspect = std::ranges::find(choice.nodes, verdict.suspect);
  if (suspect == choice.nodes.end()) return choice;
  if (choice.spares.empty() && verdict.times >= 2 && choice.nodes.size() > least) {
    choice.spares.push_back(*suspect);
    choice.nodes.erase(suspect);
  } else if (choice.spares.empty()) {
    std::rotate(choice.nodes.begin(), choice.nodes.begin() + 1, choice.nodes.end());
  } else {
    choice.spares.push_back(*suspect);
    *suspect = choice.spares.front();
    choice.spares.erase(choice.spares.begin());
  }
  return choice;
}

}  // namespace slipway::job
