// slipway health report: what was found on the nodes of a cluster.
#include <fmt/core.h>

#include <cstdio>
#include <ctime>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "common/command_line.h"
#include "common/error.h"
#include "common/file.h"
#include "common/text.h"
#include "launcher/commands/health_parts.h"
#include "launcher/commands/page.h"
#include "launcher/health/history.h"
#include "launcher/health/report.h"
#include "launcher/local/control.h"
#include "launcher/local/deployment_view.h"

namespace slipway::commands {
namespace {

using health::ReportedNode;

constexpr std::chrono::seconds patience_with_a_node{5};
constexpr size_t largest_verdicts = 64 << 20;

ReportedNode ask_node(const local::DeploymentFolder& folder, const local::NodeView& node) {
  ReportedNode reported;
  reported.name = node.name;
  if (!node.running) {
    reported.trouble = "it is off";
    return reported;
  }
  try {
    local::NodeCommand command;
    command.argv = {"/bin/cat", fmt::format("{}/last.json", health::state_folder)};
    const ProcessResult result =
        local::run_on_node(folder, node.name, command, patience_with_a_node);
    if (result.timed_out) {
      reported.trouble = "it does not answer";
    } else if (!result.ok()) {
      reported.trouble = "nobody has looked at it yet";
    } else {
      return health::read_verdicts(result.output, node.name).front();
    }
  } catch (const Error& error) {
    reported.trouble = error.what();
  }
  return reported;
}

std::vector<ReportedNode> ask_deployment(const std::string& name) {
  const local::DeploymentFolder folder(local::deployments_folder(), name);
  std::vector<ReportedNode> nodes;
  for (const local::NodeView& node : local::view(folder).nodes) {
    if (node.role == "compute") nodes.push_back(ask_node(folder, node));
  }
  return nodes;
}

std::vector<ReportedNode> read_files(const std::vector<std::string>& files) {
  std::vector<ReportedNode> nodes;
  for (const std::string& file : files) {
    const std::string text = file == "-" ? std::string(std::istreambuf_iterator<char>(std::cin), {})
                                         : read_regular_file(file, largest_verdicts);
    for (ReportedNode& node : health::read_verdicts(text, file)) nodes.push_back(std::move(node));
  }
  return nodes;
}

}  // namespace

int health_report(Args args) {
  std::string name, page;
  std::vector<std::string> files;
  CommandLine line("slipway health report", "[NAME] [options]",
                   "What the last look at each node has found: of a deployment on this machine, or "
                   "of verdicts in files. Nothing is looked at anew.");
  line.positional("NAME", &name, Arity::optional);
  line.option(
      "file,f", "FILE",
      "a file with verdicts, last.json of nodes, one or several; may be given again; `-` is "
      "stdin",
      &files);
  line.option("html", "FILE", "write a page for browsers, too; it needs no other file", &page);
  line.example("slipway health report quickstart --html health.html",
               "a table here, a page for a browser");
  line.example("slipway health report --file n-0.json --file n-1.json",
               "after `srun --output=/home/%N.json cat /var/lib/slipway/health/last.json`");
  if (!line.parse(args)) return 0;
  if (name.empty() == files.empty()) {
    throw UsageError("give the name of a deployment on this machine, or `--file`");
  }
  std::vector<ReportedNode> nodes = name.empty() ? read_files(files) : ask_deployment(name);
  sort_nodes(nodes);
  if (!page.empty()) {
    const std::string title = "Node health" + (name.empty() ? "" : ": " + name);
    write_result(page, as_page(nodes, title, std::time(nullptr)));
    if (page == "-") return 0;
  }
  std::fputs(as_table(nodes).c_str(), stdout);
  return 0;
}

}  // namespace slipway::commands
