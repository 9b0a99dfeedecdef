// Finds placement policies that were left over.
#include <algorithm>

#include "launcher/node/reconcile.h"

namespace slipway::node {

std::vector<std::string> unused_policies(const Situation& situation,
                                         const std::vector<std::string>& policies, Memory& memory,
                                         const Memory& before) {
  std::set<std::string> used;
  for (const CloudMachine& machine : situation.machines.machines) {
    used.insert(machine.policies.begin(), machine.policies.end());
  }
  std::vector<std::string> unused;
  for (const std::string& policy : policies) {
    // CLUSTER-NODESET-JOB-NUMBER; its number at least is not negotiable.
    const bool is_ours = parse_node_name(situation.cluster.cluster, policy).number >= 0;
    if (!is_ours || used.contains(policy)) continue;
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
