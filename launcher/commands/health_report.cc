// `slipway health report`: prints the last verdict of each node of a cluster.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "common/command_line.h"
#include "common/error.h"
#include "common/file.h"
#include "common/locale_text.h"
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

constexpr std::chrono::seconds node_timeout{5};
constexpr std::string_view separator = "=== history ===";
constexpr size_t largest_verdicts = 64 << 20;
constexpr int some_unfit = 3;

ReportedNode ask_node(const local::DeploymentFolder& folder, const local::NodeView& node) {
  ReportedNode reported;
  reported.name = node.name;
  if (!node.running) {
    reported.trouble = "off";
    return reported;
  }
  try {
    local::NodeCommand command;
    // Both, with a line between them that no JSON has.
    command.argv = {"/bin/sh", "-c",
                    fmt::format("cat {0}/last.json && echo {1} && cat {0}/history.json",
                                health::state_folder, separator)};
    const ProcessResult result = local::run_on_node(folder, node.name, command, node_timeout);
    if (result.timed_out) {
      reported.trouble = "no answer";
    } else if (const size_t end = result.output.find(separator); end == std::string::npos) {
      reported.trouble = "not checked yet";
    } else {
      const std::string_view output = result.output;
      reported = health::read_verdicts(output.substr(0, end), node.name).front();
      reported.events = health::read_events(output.substr(end + separator.size()));
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
  bool json = false, tell_unfit = false;
  std::vector<std::string> files;
  CommandLine line("slipway health report", "Print the last health verdict of each node.");
  line.about("The verdicts are those of a local deployment, or of files. No check is run.");
  line.positional("DEPLOYMENT", &name, Arity::optional);
  line.option("file,f", "FILE",
              "a file with one or several verdicts, such as a node's last.json; - is stdin",
              &files);
  line.option("html", "FILE", "also write a page for a browser, in a single file", &page);
  line.json("schema slipway/health-report/1", &json);
  line.flag("detailed-exitcode", "end with 3 if a node is unfit", &tell_unfit);
  line.example("slipway health report quickstart --html health.html",
               "print a table and write a page");
  line.example("slipway health report --file n-0.json --file n-1.json",
               "after `srun --output=/home/%N.json cat /var/lib/slipway/health/last.json`");
  line.exit_status("3", "a node is unfit, with --detailed-exitcode");
  line.see_also("slipway-health(1)");
  if (!line.parse(args)) return 0;
  if (name.empty() == files.empty()) {
    throw UsageError("give the name of a deployment on this machine, or `--file`");
  }
  std::vector<ReportedNode> nodes = name.empty() ? read_files(files) : ask_deployment(name);
  sort_nodes(nodes);
  if (!page.empty()) {
    const std::string title = "Node health" + (name.empty() ? "" : ": " + name);
    write_result(page, as_page(nodes, title, std::time(nullptr)));
  }
  if (page != "-")
    std::fputs((json ? as_json(nodes) : for_locale(as_table(nodes))).c_str(), stdout);
  return tell_unfit && !std::ranges::all_of(nodes, &ReportedNode::is_fit) ? some_unfit : 0;
}

}  // namespace slipway::commands
