// Passes messages between the PMIx servers of an attempt's nodes.
#include "launcher/job/pmix_exchange.h"

#include <fmt/core.h>

#include <algorithm>

namespace slipway::job {
std::vector<PmixDelivery> PmixExchange::handle(const std::string& node, const PmixFromNode& body) {
  const auto found = std::ranges::find(world_.nodes, node);
  if (found == world_.nodes.end()) return {};
  const auto at = static_cast<size_t>(found - world_.nodes.begin());
  return std::visit(Overloads{
                        [&](const PmixFence& come) { return fence(at, come); },
                        [&](const PmixWant& wanted) { return want(at, wanted); },
                        [&](const PmixHave& answer) { return have(answer); },
                        [&](const PmixNone& none) {
                          without_[node] = none.text;
                          return fail_fences();
                        },
                    },
                    body);
}

std::set<size_t> PmixExchange::nodes_of(const Ranks& ranks) const {
  std::set<size_t> nodes;
  for (const int64_t rank : ranks) {
    if (rank >= 0 && rank < world_.size())
      nodes.insert(static_cast<size_t>(rank / world_.tasks_per_node));
  }
  for (size_t node = 0; ranks.empty() && node < world_.nodes.size(); ++node) nodes.insert(node);
  return nodes;
}

std::vector<PmixDelivery> PmixExchange::fence(size_t node, const PmixFence& fence) {
  const std::set<size_t> nodes = nodes_of(fence.ranks);
  if (!nodes.contains(node)) return {};
  auto& come = fences_[fence.ranks];
  come[node] = fence.bytes;
  if (!without_.empty()) return fail_fences();
  if (come.size() < nodes.size()) return {};

  std::string all;
  for (const auto& [from, bytes] : come) all += bytes;
  const bool fits = all.size() <= most_pmix_bytes;
  const PmixFenced answer = {fence.ranks, fits ? pmix_ok : pmix_error, fits ? all : ""};
  fences_.erase(fence.ranks);
  std::vector<PmixDelivery> orders;
  for (const size_t each : nodes) orders.push_back({world_.nodes[each], answer});
  return orders;
}

// If one of a fence's nodes has no server, the fence can never complete.
std::vector<PmixDelivery> PmixExchange::fail_fences() {
  std::vector<PmixDelivery> orders;
  for (const auto& [ranks, come] : fences_) {
    for (const auto& [node, bytes] : come)
      orders.push_back({world_.nodes[node], PmixFenced{ranks, pmix_not_supported, {}}});
  }
  fences_.clear();
  failed_ = failed_ || !orders.empty();
  return orders;
}

std::vector<PmixDelivery> PmixExchange::want(size_t node, const PmixWant& want) const {
  const std::set<size_t> from = nodes_of({want.rank});
  if (from.empty() || without_.contains(world_.nodes[*from.begin()]))
    return {{world_.nodes[node], PmixGot{want.ask, pmix_not_supported, {}}}};
  return {{world_.nodes[*from.begin()], PmixGet{want.rank, want.ask, world_.nodes[node]}}};
}

std::vector<PmixDelivery> PmixExchange::have(const PmixHave& have) const {
  if (std::ranges::find(world_.nodes, have.node) == world_.nodes.end()) return {};
  return {{have.node, PmixGot{have.ask, have.status, have.bytes}}};
}

std::string PmixExchange::news() {
  if (!failed_ || reported_) return {};
  reported_ = true;
  const auto& [node, why] = *without_.begin();
  return fmt::format("{}: no PMIx, so MPI ranks cannot find each other: {}", node, why);
}

}  // namespace slipway::job
