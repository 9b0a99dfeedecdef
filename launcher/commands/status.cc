// slipway status: show deployments, their nodes and what runs on them.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/command_line.h"
#include "launcher/commands/commands.h"
#include "launcher/local/deployment_view.h"

namespace slipway::commands {
namespace {

void print_list(const std::vector<local::DeploymentView>& views) {
  if (views.empty()) {
    fmt::print("no deployments\n");
    return;
  }
  fmt::print("{:<24} {:<8} {}\n", "DEPLOYMENT", "STATE", "NODES");
  for (const local::DeploymentView& view : views) {
    fmt::print("{:<24} {:<8} {}\n", view.name, view.state, view.nodes.size());
  }
}

void print_one(const local::DeploymentView& view) {
  fmt::print("deployment {}: {}{}\n", view.name, view.state,
             view.state == "dead" ? ": its supervisor was killed or the host was restarted; "
                                    "`slipway destroy " +
                                        view.name + "` tidies up"
                                  : "");
  if (view.folder.is_full()) {
    fmt::print(
        "the file system of {} is full: nothing can be written to logs, /home and Slurm's "
        "state\n",
        view.folder.path().string());
  }
  size_t width = 4;
  for (const local::NodeView& node : view.nodes) width = std::max(width, node.name.size());
  fmt::print("{:<{}} {:<10} {:<16} {:<16} {:<8} {}\n", "NODE", width, "ROLE", "MACHINE TYPE",
             "ADDRESS", "POWER", "SLURM");
  for (const local::NodeView& node : view.nodes) {
    fmt::print("{:<{}} {:<10} {:<16} {:<16} {:<8} {}\n", node.name, width, node.role,
               node.machine_type, node.address, node.running ? "on" : "off", node.slurm_state);
  }
  if (view.state != "running") return;
  fmt::print("{} job{}\n", view.jobs.empty() ? "no" : std::to_string(view.jobs.size()),
             view.jobs.size() == 1 ? "" : "s");
  for (const local::JobView& job : view.jobs) {
    fmt::print("  {} {} {} on {} node{}: {}\n", job.id, job.name, job.state, job.nodes,
               job.nodes == 1 ? "" : "s", job.node_list);
  }
}

}  // namespace

int status(Args args) {
  std::string name;
  bool json = false;
  CommandLine line("slipway status", "[NAME] [--json]",
                   "Show deployments, or the nodes and jobs of one.");
  line.positional("NAME", &name, Arity::optional);
  line.flag("json", "print JSON", &json);
  line.example("slipway status", "every deployment of yours");
  line.example("slipway status quickstart --json", "one, for a program");
  if (!line.parse(args)) return 0;

  if (name.empty()) {
    std::vector<local::DeploymentView> views;
    for (const local::DeploymentFolder& folder : local::all_deployments()) {
      views.push_back(local::view(folder));
    }
    if (json) {
      fmt::print("{}\n", local::to_json(views).dump(2));
    } else {
      print_list(views);
    }
    return 0;
  }
  local::DeploymentView view =
      local::view(local::DeploymentFolder(local::deployments_folder(), name));
  if (view.state == "running") local::ask_slurm(view);
  if (json) {
    fmt::print("{}\n", local::to_json(view).dump(2));
  } else {
    print_one(view);
  }
  return view.state == "running" ? 0 : 1;
}

}  // namespace slipway::commands
