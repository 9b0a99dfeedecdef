// Groups alerts and nodes that are alike.
#include "launcher/observe/cluster_groups.h"

#include <algorithm>
#include <tuple>

#include "common/host_list.h"

namespace slipway::observe {
namespace {

using Figure = std::optional<double>;

// `join` of both; of one if the other is not known.
template <class Join>
Figure joined(const Figure& a, const Figure& b, Join join) {
  if (!a || !b) return a ? a : b;
  return join(*a, *b);
}

void add(NodeGroup& group, const NodeRow& node) {
  const auto count = static_cast<double>(group.names.size());
  const auto sum = [](double a, double b) { return a + b; };
  NodeRow& row = group.row;
  row.gpus = joined(row.gpus, node.gpus, sum);
  row.watts = joined(row.watts, node.watts, sum);
  row.celsius =
      joined(row.celsius, node.celsius, [](double a, double b) { return std::max(a, b); });
  row.utilization = joined(row.utilization, node.utilization,
                           [&](double a, double b) { return (a * count + b) / (count + 1); });
  group.names.push_back(node.name);
}

int rank(const std::optional<bool>& fit) {
  return !fit ? 1 : *fit ? 2 : 0;
}

}  // namespace

std::vector<AlertGroup> grouped(const std::vector<Alert>& alerts) {
  std::vector<AlertGroup> groups;
  for (const Alert& alert : alerts) {
    auto group = std::ranges::find(groups, alert.name,
                                   [](const AlertGroup& each) { return each.first.name; });
    if (group == groups.end()) group = groups.insert(group, {alert, {}, 0});
    if (alert.since < group->first.since) group->first = alert;
    ++group->count;
    if (!alert.node.empty() && std::ranges::find(group->nodes, alert.node) == group->nodes.end()) {
      group->nodes.push_back(alert.node);
    }
  }
  std::ranges::stable_sort(groups, {}, [](const AlertGroup& group) {
    return std::tuple(group.first.severity != "critical", group.first.since);
  });
  return groups;
}

std::vector<NodeGroup> grouped(const std::vector<NodeRow>& nodes) {
  const bool is_whole = nodes.size() <= most_single_names;
  std::vector<NodeGroup> groups;
  for (const NodeRow& node : nodes) {
    const auto group = std::ranges::find_if(groups, [&](const NodeGroup& each) {
      return !is_whole && each.row.state == node.state && each.row.fit == node.fit;
    });
    if (group == groups.end()) {
      groups.push_back({node, {node.name}});
    } else {
      add(*group, node);
    }
  }
  std::ranges::stable_sort(groups, {}, [](const NodeGroup& group) { return rank(group.row.fit); });
  return groups;
}

}  // namespace slipway::observe
