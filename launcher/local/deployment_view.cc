// A deployment as its owner sees it.
#include "launcher/local/deployment_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "common/text.h"
#include "launcher/local/control.h"

namespace slipway::local {
namespace {

using nlohmann::json;

// A folder whose making was cut short has no description: it has no nodes either.
void read_description(DeploymentView& view) {
  if (!std::filesystem::exists(view.folder.description())) return;
  const json description = json::parse(read_file(view.folder.description()));
  for (const json& node : description.at("nodes")) {
    view.nodes.push_back(
        {node.at("name"), node.at("role"), node.at("machine_type"), node.at("address"), false, ""});
  }
}

void ask_supervisor(DeploymentView& view) {
  try {
    const json answer = request(view.folder, {{"request", "status"}});
    std::map<std::string, const json*> rows;
    for (const json& node : answer.at("nodes")) rows[node.at("name")] = &node;
    for (NodeView& node : view.nodes) {
      const auto row = rows.find(node.name);
      if (row == rows.end()) continue;
      node.running = row->second->at("running");
      node.faults = row->second->at("faults");
    }
    view.state = answer.at("kept") ? "running" : "starting";
  } catch (const Error&) {
    view.state = view.folder.life() == Life::dead ? "dead" : "changing";
  }
}

// Runs one of Slurm's commands on the controller: its lines, or nothing when it failed.
std::vector<std::vector<std::string>> slurm_lines(const DeploymentView& view,
                                                  std::vector<std::string> argv) {
  std::vector<std::vector<std::string>> lines;
  NodeCommand command;
  command.argv = std::move(argv);
  const ProcessResult result =
      run_on_node(view.folder, view.nodes.front().name, command, std::chrono::seconds(10));
  if (!result.ok()) return lines;
  for (const std::string& line : split(trim(result.output), '\n'))
    lines.push_back(split(line, '|'));
  return lines;
}

}  // namespace

DeploymentView view(const DeploymentFolder& folder) {
  DeploymentView view{folder, folder.name(), "dead", {}, {}};
  const Life life = folder.life_if_present();
  read_description(view);
  if (life == Life::running) ask_supervisor(view);
  return view;
}

void ask_slurm(DeploymentView& view) {
  std::map<std::string, NodeView*> known;
  for (NodeView& node : view.nodes) {
    known[node.name] = &node;
    if (node.role == "compute") node.slurm_state = "unknown";
  }
  // A line for each partition that a node is in.
  for (const auto& line : slurm_lines(view, {"sinfo", "-h", "-N", "-o", "%N|%T|%R|%E"})) {
    const auto node = line.size() < 4 ? known.end() : known.find(line[0]);
    if (node == known.end()) continue;
    node->second->slurm_state = line[1];
    node->second->partitions.push_back(line[2]);
    const std::string reason = join({line.begin() + 3, line.end()}, "|");
    node->second->reason = reason == "none" ? "" : reason;
  }
  for (const auto& line : slurm_lines(view, {"squeue", "-h", "-o", "%i|%j|%T|%D|%R"})) {
    if (line.size() != 5) continue;
    view.jobs.push_back({line[0], line[1], line[2], to_number<int>(line[3]).value_or(0), line[4]});
  }
}

std::string resolve_node(const DeploymentView& view, const std::string& typed) {
  std::vector<std::string> names, ends;
  for (const NodeView& node : view.nodes) {
    if (node.name == typed) return typed;
    if (node.name.ends_with("-" + typed)) ends.push_back(node.name);
    names.push_back(node.name);
  }
  if (ends.size() == 1) return ends.front();
  const auto of_role = std::ranges::find(view.nodes, typed, &NodeView::role);
  if (of_role != view.nodes.end()) return of_role->name;
  const std::string guess = nearest(typed, names);
  throw Error(
      guess.empty()
          ? fmt::format("deployment `{0}` has no node `{1}`; `slipway status {0}` lists them",
                        view.name, typed)
          : fmt::format("deployment `{}` has no node `{}`; did you mean `{}`?", view.name, typed,
                        guess));
}

json to_json(const DeploymentView& view) {
  json nodes = json::array(), jobs = json::array();
  for (const NodeView& node : view.nodes) {
    nodes.push_back({{"name", node.name},
                     {"role", node.role},
                     {"machine_type", node.machine_type},
                     {"address", node.address},
                     {"running", node.running},
                     {"slurm_state", node.slurm_state},
                     {"reason", node.reason},
                     {"partitions", node.partitions},
                     {"faults", node.faults}});
  }
  for (const JobView& job : view.jobs) {
    jobs.push_back({{"id", job.id},
                    {"name", job.name},
                    {"state", job.state},
                    {"nodes", job.nodes},
                    {"node_list", job.node_list}});
  }
  return {{"schema", "slipway/status/1"},
          {"deployment", view.name},
          {"state", view.state},
          {"nodes", std::move(nodes)},
          {"jobs", std::move(jobs)}};
}

json to_json(const std::vector<DeploymentView>& views) {
  json all = json::array();
  for (const DeploymentView& view : views) all.push_back(to_json(view));
  return all;
}

}  // namespace slipway::local
