// Makes and deletes compact placement policies.
#include "launcher/node/placement.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "launcher/node/trouble.h"

namespace slipway::node {
namespace {

using nlohmann::json;

json policy_request(Compute& compute, const std::string& region, const std::string& name,
                    const Placement& placement) {
  json body = {{"name", name}, {"groupPlacementPolicy", {{"collocation", "COLLOCATED"}}}};
  if (!placement.gpu_topology.empty()) {
    body["groupPlacementPolicy"]["gpuTopology"] = placement.gpu_topology;
  }
  const std::string path = fmt::format("regions/{}/resourcePolicies", region);
  if (placement.max_distance == 0) return compute.post(path, body);
  // Version 1 of the API has no maximum distance.
  body["groupPlacementPolicy"]["maxDistance"] = placement.max_distance;
  return compute.post_beta(path, body);
}

}  // namespace

void make_policy(Compute& compute, const std::string& region, const std::string& name,
                 const Placement& placement) {
  json operation;
  try {
    operation = policy_request(compute, region, name, placement);
  } catch (const Refused& error) {
    if (error.status == 409) return;
    throw;
  }
  persist(compute.patience(), fmt::format("the placement policy {}", name), [&] {
    if (text_of(operation, "status") == "DONE") return;
    operation = compute.get(
        fmt::format("regions/{}/operations/{}", region, url_encode(text_of(operation, "name"))));
    if (text_of(operation, "status") != "DONE") throw NotYet("the operation is still running");
  });
  for (const OperationError& error : errors_of(operation)) {
    if (error.trouble != Trouble::exists) throw Error(error.words);
  }
}

std::vector<std::string> delete_policies(Compute& compute, const std::string& region,
                                         std::vector<std::string> names) {
  std::vector<std::string> kept;
  for (std::string& name : names) {
    try {
      compute.remove(fmt::format("regions/{}/resourcePolicies/{}", region, name));
    } catch (const Refused& error) {
      if (error.status == 404) continue;
      const bool is_used = error.reason == "resourceInUseByAnotherResource";
      if (!is_used && compute.patience().say) {
        compute.patience().say(
            fmt::format("cannot delete the placement policy {}: {}", name, error.what()));
      }
      kept.push_back(std::move(name));
    }
  }
  return kept;
}

}  // namespace slipway::node
