// Which of the node profile's expected figures judge a run, and which of its sizes.
#include "nccl-tests/figures.h"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "common/count.h"

namespace slipway::bandwidth {
namespace {

using Figure = NodeProfile::ExpectedBandwidth;
using Figures = std::vector<Figure>;

// The ranks on each host; empty if hosts have different numbers of them.
std::optional<int64_t> ranks_of_each_host(const std::vector<RankInfo>& ranks) {
  std::map<std::string, int64_t> by_host;
  for (const RankInfo& rank : ranks) ++by_host[rank.host];
  const int64_t first = by_host.begin()->second;
  const bool equal =
      std::ranges::all_of(by_host, [&](const auto& one) { return one.second == first; });
  return equal ? std::optional(first) : std::nullopt;
}

template <class Condition>
Figures only(const Figures& figures, Condition condition) {
  Figures found;
  std::ranges::copy_if(figures, std::back_inserter(found), condition);
  return found;
}

std::string run_place(const NodeProfile& profile, int64_t nodes) {
  return fmt::format("{} of {}{}", counted(nodes, "node"), profile.machine_type,
                     profile.target == "local" ? " in a local cluster" : "");
}

// How a figure for fewer nodes applies to `nodes`.
AppliedFigure on_more_nodes(const Figure& figure, int64_t nodes) {
  const int64_t from = (figure.size_bytes * nodes + figure.nodes - 1) / figure.nodes;
  return {
      figure, from, std::max(figure.tolerance, figure.more_nodes->tolerance),
      fmt::format("measured on {}: {}", counted(figure.nodes, "node"), figure.more_nodes->because)};
}

std::string why_not_on(int64_t nodes, const Figures& figures) {
  int64_t most = 0;
  for (const Figure& figure : figures) {
    most = std::max(most, figure.more_nodes ? figure.more_nodes->up_to : figure.nodes);
  }
  const int64_t least = std::ranges::min_element(figures, {}, &Figure::nodes)->nodes;
  if (nodes < least) return fmt::format("there is one for {}", counted(least, "node"));
  return most == least
             ? fmt::format("the one for {} holds on no more", counted(least, "node"))
             : fmt::format("the one for {} holds on at most {}", counted(least, "node"), most);
}

// Those for the most nodes that the run still has.
std::vector<AppliedFigure> carried(const Figures& figures, int64_t nodes) {
  const Figures holding = only(figures, [&](const Figure& figure) {
    return figure.more_nodes && figure.nodes < nodes && nodes <= figure.more_nodes->up_to;
  });
  int64_t nearest = 0;
  for (const Figure& figure : holding) nearest = std::max(nearest, figure.nodes);
  std::vector<AppliedFigure> found;
  for (const Figure& figure : holding) {
    if (figure.nodes == nearest) found.push_back(on_more_nodes(figure, nodes));
  }
  return found;
}

}  // namespace

RunFigures figures_of(const Setup& setup) {
  if (!setup.profile) return {{}, "no node profile on this node"};
  const NodeProfile& profile = *setup.profile;
  const int64_t nodes = host_count(setup.ranks);
  const std::string none = fmt::format("no expected figure for {} on {}", setup.collective->name,
                                       run_place(profile, nodes));

  Figures figures = only(profile.expected_bandwidth, [&](const Figure& figure) {
    return figure.collective == setup.collective->name &&
           (figure.transport.empty() || figure.transport == profile.transport.name);
  });
  if (figures.empty()) return {{}, none};

  const auto each = ranks_of_each_host(setup.ranks);
  const int64_t expected_each = figures.front().ranks_per_node;
  figures = only(figures, [&](const Figure& figure) {
    return figure.ranks_per_node == 0 || figure.ranks_per_node == each;
  });
  if (figures.empty()) {
    return {{},
            fmt::format("the expected figure for {} is for {} on each node, and {}",
                        setup.collective->name, counted(expected_each, "rank"),
                        each ? fmt::format("this run has {}", *each)
                             : "nodes of this run have different numbers")};
  }
  RunFigures found;
  for (const Figure& figure : figures) {
    if (figure.nodes == nodes)
      found.figures.push_back({figure, figure.size_bytes, figure.tolerance, ""});
  }
  if (found.figures.empty()) found.figures = carried(figures, nodes);
  if (found.figures.empty()) found.why_none = none + "; " + why_not_on(nodes, figures);
  std::ranges::sort(found.figures, {}, &AppliedFigure::from_bytes);
  return found;
}

std::vector<std::optional<size_t>> judged_by(const std::vector<RunSize>& sizes,
                                             const std::vector<int64_t>& from_bytes) {
  std::vector<std::optional<size_t>> by(sizes.size());
  std::map<std::pair<std::string, size_t>, size_t> smallest;  // of each kind and figure
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto above = std::ranges::upper_bound(from_bytes, sizes[i].bytes);
    if (above == from_bytes.begin()) continue;
    const auto figure = static_cast<size_t>(above - from_bytes.begin()) - 1;
    const auto [at, is_first] = smallest.insert({{sizes[i].kind, figure}, i});
    if (!is_first && sizes[i].bytes < sizes[at->second].bytes) at->second = i;
  }
  for (const auto& [key, index] : smallest) by[index] = key.second;
  return by;
}

}  // namespace slipway::bandwidth
