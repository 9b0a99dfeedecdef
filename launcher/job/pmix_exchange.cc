// What the PMIx servers of an attempt's nodes have to tell one another.
#include "launcher/job/pmix_exchange.h"

#include <fmt/format.h>

#include <algorithm>

namespace slipway::job {
namespace {

Message fenced(const std::vector<int64_t>& ranks, int status, const Message::binary_t& bytes) {
  return {
      {"what", "fenced"}, {"ranks", ranks}, {"status", status}, {"bytes", Message::binary(bytes)}};
}

}  // namespace

std::vector<PmixOrder> PmixExchange::hear(const std::string& node, const Message& body) {
  const auto found = std::ranges::find(world_.nodes, node);
  if (found == world_.nodes.end()) return {};
  const auto at = static_cast<size_t>(found - world_.nodes.begin());
  const std::string what = body.at("what");
  if (what == "fence") return fence(at, body);
  if (what == "want") return want(at, body);
  if (what == "have") return have(body);
  if (what == "none") {
    without_[node] = body.at("text");
    return fail_fences();
  }
  return {};
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

std::vector<PmixOrder> PmixExchange::fence(size_t node, const Message& body) {
  const Ranks ranks = body.at("ranks");
  const std::set<size_t> nodes = nodes_of(ranks);
  if (!nodes.contains(node)) return {};
  auto& come = fences_[ranks];
  come[node] = body.at("bytes").get_binary();
  if (!without_.empty()) return fail_fences();
  if (come.size() < nodes.size()) return {};

  Bytes all;
  for (const auto& [from, bytes] : come) all.insert(all.end(), bytes.begin(), bytes.end());
  const bool fits = all.size() <= most_pmix_bytes;
  const Message answer = fenced(ranks, fits ? pmix_ok : pmix_error, fits ? all : Bytes());
  fences_.erase(ranks);
  std::vector<PmixOrder> orders;
  for (const size_t each : nodes) orders.push_back({world_.nodes[each], answer});
  return orders;
}

// Without one of the nodes no fence comes to an end: its ranks do not know that they are any.
std::vector<PmixOrder> PmixExchange::fail_fences() {
  std::vector<PmixOrder> orders;
  for (const auto& [ranks, come] : fences_) {
    for (const auto& [node, bytes] : come) {
      orders.push_back({world_.nodes[node], fenced(ranks, pmix_not_supported, {})});
    }
  }
  fences_.clear();
  failed_ = failed_ || !orders.empty();
  return orders;
}

std::vector<PmixOrder> PmixExchange::want(size_t node, const Message& body) {
  const int64_t rank = body.at("rank");
  const std::set<size_t> from = nodes_of({rank});
  if (from.empty() || without_.contains(world_.nodes[*from.begin()])) {
    return {{world_.nodes[node],
             {{"what", "got"},
              {"ask", body.at("ask")},
              {"status", pmix_not_supported},
              {"bytes", Message::binary({})}}}};
  }
  return {
      {world_.nodes[*from.begin()],
       {{"what", "get"}, {"rank", rank}, {"ask", body.at("ask")}, {"node", world_.nodes[node]}}}};
}

std::vector<PmixOrder> PmixExchange::have(const Message& body) const {
  const std::string asked = body.at("node");
  if (std::ranges::find(world_.nodes, asked) == world_.nodes.end()) return {};
  return {{asked,
           {{"what", "got"},
            {"ask", body.at("ask")},
            {"status", body.at("status")},
            {"bytes", body.at("bytes")}}}};
}

std::string PmixExchange::news() {
  if (!failed_ || told_) return {};
  told_ = true;
  const auto& [node, why] = *without_.begin();
  return fmt::format("{}: no PMIx, so MPI's ranks cannot meet: {}", node, why);
}

}  // namespace slipway::job
