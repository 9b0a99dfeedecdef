// `slipway graph`: draws the modules of a blueprint and the settings between them.
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
    throw Error(fmt::format(
        "{}; --format svg needs Graphviz (as root: apt-get install graphviz), --format dot "
        "does not",
        error.what()));
  }
}

}  // namespace

int graph(Args args) {
  BlueprintInput input;
  std::string format = "dot";
  std::string output = "-";
  CommandLine line("slipway graph",
                   "Draw the modules of a blueprint and the settings between them.");
  line.about(
      "A solid line is a `use`, a dashed line an output that an expression names, and a dotted "
      "line a `use` that provides nothing.");
  input.add_options(line);
  line.option("format", "dot|svg", "print text for Graphviz, or have Graphviz draw a picture",
              &format);
  line.option("output,o", "FILE", "write it to this file; - is stdout", &output);
  line.example("slipway graph examples/quickstart.yaml --format svg -o quickstart.svg",
               "draw a picture for a browser");
  line.example("slipway graph cluster.yaml | dot -Tpng > cluster.png", "draw it in another format");
  line.see_also("slipway-explain(1)");
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
