// `slipway graph`: draws the modules of a blueprint and what flows between them.
#include <fmt/core.h>

#include "common/process.h"
#include "launcher/commands/blueprint_input.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/module_graph.h"
#include "launcher/commands/page.h"

namespace slipway::commands {
namespace {

std::string drawn(const std::string& dot) {
  ProcessOptions options;
  options.input = dot;
  options.deadline = std::chrono::minutes(1);
  try {
    return run_checked({"dot", "-Tsvg"}, options);
  } catch (const Error& error) {
    throw Error(
        fmt::format("{}; Graphviz draws the graph (as root: apt-get install graphviz), and "
                    "--format dot needs none",
                    error.what()));
  }
}

}  // namespace

int graph(Args args) {
  BlueprintInput input;
  std::string format = "dot";
  std::string output = "-";
  CommandLine line("slipway graph", "BLUEPRINT [options]",
                   "Draw the modules of a blueprint by group, and which settings flow between "
                   "them:\nthrough `use` (a line), or named in an expression (a dashed line). A "
                   "dotted line is a `use`\nthat gives nothing.");
  input.add_options(line);
  line.option("format", "dot|svg", "text for Graphviz (default), or a picture", &format);
  line.option("output,o", "FILE", "where to write it, - for stdout (default -)", &output);
  line.example("slipway graph examples/quickstart.yaml --format svg -o quickstart.svg",
               "a picture for the browser; Graphviz draws it");
  line.example("slipway graph cluster.yaml | dot -Tpng > cluster.png", "in another format");
  if (!line.parse(args)) return 0;
  if (format != "dot" && format != "svg") {
    throw UsageError(fmt::format("unknown format `{}`; it is `dot` or `svg`", format));
  }
  LoadedBlueprint loaded(input, Purpose::deployment);
  const std::string dot = module_graph(loaded.deployment());
  write_result(output, format == "svg" ? drawn(dot) : dot);
  return 0;
}

}  // namespace slipway::commands
