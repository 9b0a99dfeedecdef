// Finds placement policies that were left over.
#include <algorithm>

#include "common/text.h"
#include "launcher/node/reconcile.h"

namespace slipway::node {

bool is_own_policy(const std::string& cluster, const std::string& name) {
  if (!name.starts_with(cluster + "-")) return false;
  const std::vector<std::string> parts = split(name.substr(cluster.size() + 1), '-');
  const auto all_in = [](const std::string& text, const char* letters) {
    return !text.empty() && text.find_first_not_of(letters) == text.npos;
  };
  constexpr const char* digits = "0123456789";
  // The names of nodesets have no hyphens.
  return parts.size() == 3 && !parts[0].empty() &&
         (parts[1] == "static" || all_in(parts[1], digits)) && all_in(parts[2], digits);
}

std::vector<std::string> unused_policies(const Situation& situation,
                                         const std::vector<std::string>& policies, Memory& memory,
                                         const Memory& before) {
  std::set<std::string> used;
  for (const CloudMachine& machine : situation.machines.machines) {
    used.insert(machine.policies.begin(), machine.policies.end());
  }
  std::vector<std::string> unused;
  for (const std::string& policy : policies) {
    if (!is_own_policy(situation.cluster.cluster, policy) || used.contains(policy)) continue;
    const std::string key = "policy " + policy;
    const auto known = before.since.find(key);
    const int64_t since = known == before.since.end() ? situation.now : known->second;
    memory.since[key] = since;
    // Machines get a policy some time after it was made.
    if (situation.now - since >= situation.graces.policy) unused.push_back(policy);
  }
  return unused;
}

}  // namespace slipway::node
