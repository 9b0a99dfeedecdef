// A deployment's nodes and jobs as text, for a terminal or a file.
#include "launcher/local/status_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "common/count.h"
#include "common/host_list.h"
#include "common/locale_text.h"
#include "common/text.h"

namespace slipway::local {
namespace {

constexpr size_t most_jobs = 20;

using TableRow = std::array<std::string, 7>;

// Images are shown only while they differ, as during `slipway deploy --image`.
TableRow row_of(const NodeView& node, bool with_image) {
  return {node.name,
          node.role,
          node.machine_type,
          node.address,
          node.running ? "on" : "off",
          node.slurm_state,
          !with_image          ? ""
          : node.image.empty() ? "this machine"
                               : node.image};
}

bool are_alike(const NodeView& a, const NodeView& b) {
  return a.role == b.role && a.machine_type == b.machine_type && a.running == b.running &&
         a.slurm_state == b.slurm_state && a.image == b.image;
}

std::vector<std::string> names_of(const std::vector<const NodeView*>& nodes) {
  std::vector<std::string> names;
  for (const NodeView* node : nodes) names.push_back(node->name);
  return names;
}

// Groups of nodes that are alike, in the order of their first ones.
std::vector<std::vector<const NodeView*>> groups_of(const std::vector<NodeView>& nodes) {
  std::vector<std::vector<const NodeView*>> groups;
  for (const NodeView& node : nodes) {
    const auto group = std::ranges::find_if(
        groups, [&](const auto& others) { return are_alike(*others.front(), node); });
    if (group == groups.end()) {
      groups.push_back({&node});
    } else {
      group->push_back(&node);
    }
  }
  return groups;
}

std::vector<TableRow> rows_of(const std::vector<NodeView>& nodes) {
  const bool with_image = std::ranges::any_of(
      nodes, [&](const NodeView& node) { return node.image != nodes.front().image; });
  std::vector<TableRow> rows = {
      {"NODE", "ROLE", "MACHINE TYPE", "ADDRESS", "POWER", "SLURM", with_image ? "IMAGE" : ""}};
  for (const std::vector<const NodeView*>& group : groups_of(nodes)) {
    if (group.size() <= most_single_names) {
      for (const NodeView* node : group) rows.push_back(row_of(*node, with_image));
      continue;
    }
    TableRow row = row_of(*group.front(), with_image);
    row[0] = host_list(names_of(group));
    row[3] += fmt::format(" and {} more", group.size() - 1);
    rows.push_back(row);
  }
  return rows;
}

// As narrow as its cells: wider lines than a terminal are hard to read.
std::string aligned(const std::vector<TableRow>& rows) {
  std::array<size_t, std::tuple_size_v<TableRow>> widths = {};
  for (const TableRow& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const TableRow& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}} ", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

// What is wrong with each node, and the nodes with which it is wrong, in the order of the first
// ones.
std::vector<std::pair<std::string, std::vector<std::string>>> troubles_of(
    const std::vector<NodeView>& nodes) {
  std::vector<std::pair<std::string, std::vector<std::string>>> troubles;
  const auto add = [&](const std::string& trouble, const std::string& name) {
    const auto known = std::ranges::find(troubles, trouble, [](const auto& t) { return t.first; });
    if (known == troubles.end()) {
      troubles.push_back({trouble, {name}});
    } else {
      known->second.push_back(name);
    }
  };
  for (const NodeView& node : nodes) {
    if (!node.faults.empty()) add("fault: " + join(node.faults, ", "), node.name);
    if (!node.reason.empty()) add("reason: " + for_locale(node.reason), node.name);
  }
  return troubles;
}

}  // namespace

std::string node_table(const DeploymentView& view) {
  std::string text = aligned(rows_of(view.nodes));
  for (const auto& [trouble, names] : troubles_of(view.nodes)) {
    text += fmt::format("{}: {}\n", names_of_nodes(names), trouble);
  }
  return text;
}

std::string job_list(const DeploymentView& view) {
  std::string text =
      fmt::format("{}\n", view.jobs.empty() ? "no jobs" : counted(view.jobs.size(), "job"));
  for (const JobView& job : view.jobs) {
    if (&job - view.jobs.data() == most_jobs) {
      return text + fmt::format("  and {} more\n", view.jobs.size() - most_jobs);
    }
    text += fmt::format("  {} {} {} on {}: {}\n", job.id, for_locale(job.name), job.state,
                        counted(job.nodes, "node"), job.node_list);
  }
  return text;
}

}  // namespace slipway::local
