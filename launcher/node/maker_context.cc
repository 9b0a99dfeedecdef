// What the batches of an order share.
#include <fmt/core.h>

#include <algorithm>

#include "launcher/node/batch_maker.h"
#include "launcher/node/placement.h"

namespace slipway::node {

void MakerContext::say(const std::string& what) const {
  if (patience_.say) patience_.say(what);
}

const MachinesByName& MakerContext::machines(const Batch& batch) {
  const auto known = machines_.find(batch.prefix);
  if (known != machines_.end()) return known->second;
  Compute compute = this->compute(*batch.nodeset);
  return machines_[batch.prefix] = list_machines_named(compute, batch.nodeset->zones, batch.prefix);
}

const std::vector<Offer>& MakerContext::offers(const Batch& batch) {
  const auto known = offers_.find(batch.prefix);
  if (known != offers_.end()) return known->second;
  Compute compute = this->compute(*batch.nodeset);
  return offers_[batch.prefix] = offers_of(compute, *batch.nodeset);
}

void MakerContext::need_policy(const Batch& batch, const std::string& region) {
  if (!policies_.insert({region, batch.policy}).second) return;
  Compute compute = this->compute(*batch.nodeset);
  try {
    make_policy(compute, region, batch.policy, *batch.nodeset->placement);
  } catch (const Error&) {
    policies_.erase({region, batch.policy});
    throw;
  }
}

void MakerContext::drop_policy(const Batch& batch) {
  // Static nodes need theirs again.
  if (batch.policy.empty() || batch.policy.starts_with(batch.prefix + "static-")) return;
  std::erase_if(policies_, [&](const auto& made) {
    const auto& [region, name] = made;
    if (name != batch.policy) return false;
    Compute compute = this->compute(*batch.nodeset);
    return delete_policies(compute, region, {name}).empty();
  });
}

bool MakerContext::frees_quota(const Batch& batch) {
  Compute compute = this->compute(*batch.nodeset);
  const MachinesByName all =
      list_machines_named(compute, batch.nodeset->zones, cluster_.cluster + "-");
  return std::ranges::any_of(all, [](const auto& one) { return one.second.is_stopping(); });
}

}  // namespace slipway::node
