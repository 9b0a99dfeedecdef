// `slipway fault`: breaks a node of a local deployment, or repairs it.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "common/command_line.h"
#include "common/error.h"
#include "common/text.h"
#include "launcher/commands/commands.h"
#include "launcher/local/control.h"
#include "launcher/local/deployment_lock.h"
#include "launcher/local/deployment_view.h"
#include "launcher/local/fault.h"

namespace slipway::commands {
namespace {

using nlohmann::json;

std::string about_faults() {
  std::string text;
  for (const local::FaultKind& kind : local::fault_kinds()) {
    const std::string words = local::Fault{kind.name, kind.arguments}.text();
    text += fmt::format("{}  {:<26} {}", text.empty() ? "" : "\n", words, kind.about);
  }
  return text;
}

// The request to the supervisor.
json request_for(const std::string& node, const std::vector<std::string>& words) {
  if (words[0] == "clear") {
    return {
        {"request", "clear"}, {"node", node}, {"which", join(std::span(words).subspan(1), " ")}};
  }
  if (words[0] == "power-on") {
    if (words.size() > 1) throw UsageError("power-on takes no argument");
    return {{"request", "clear"}, {"node", node}, {"which", local::power_fault()}, {"start", true}};
  }
  return {{"request", "fault"}, {"node", node}, {"fault", to_json(local::parse_fault(words))}};
}

}  // namespace

int fault(Args args) {
  std::string name, node;
  std::vector<std::string> words;
  CommandLine line("slipway fault", "Break a node of a local deployment, or repair it.");
  line.about("A fault lasts until you clear it. Some end when the node restarts.\n\n" +
             about_faults() +
             "\n\nTo repair a node:\n\n"
             "  clear [FAULT [ARG]]      clear all faults of the node, or this one\n"
             "  power-on                 clear the fault power-off and start the node");
  line.positional("DEPLOYMENT", &name);
  line.positional("NODE", &node);
  line.rest("FAULT [ARG...]", &words);
  line.example("slipway fault quickstart a3meganodeset-2 power-off",
               "see how a job survives a dead node");
  line.example("slipway fault quickstart a3meganodeset-2 clear", "bring the node back");
  line.example("slipway fault quickstart a3meganodeset-0 gpu-xid 3 79",
               "have GPU 3 report that it has fallen off the bus");
  line.see_also("slipway-status(1)");
  if (!line.parse(args)) return 0;

  const json begin = request_for("", words);  // checks the words before the deployment
  const local::DeploymentFolder folder(local::deployments_folder(), name);
  folder.require_present();  // throws for an unknown name, which needs no lock
  const local::DeploymentLock lock(folder, "fault");
  const std::string full = local::resolve_node(local::view(folder), node);
  json body = begin;
  body["node"] = full;
  const json answer = local::request(folder, body);
  for (const json& failed : answer.at("failed")) {
    throw Error(
        fmt::format("node {} does not start: {}", full, failed.at("reason").get<std::string>()));
  }
  const std::vector<std::string> faults = [&] {
    const local::DeploymentView now = local::view(folder);
    for (const local::NodeView& one : now.nodes) {
      if (one.name == full) return one.faults;
    }
    return std::vector<std::string>();
  }();
  fmt::print(stderr, "node {}: {}\n", full, faults.empty() ? "no fault" : join(faults, ", "));
  return 0;
}

}  // namespace slipway::commands
