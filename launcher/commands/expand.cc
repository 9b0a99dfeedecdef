// `slipway expand`: prints a blueprint with every setting explicit.
#include "launcher/blueprint/expand.h"

#include <fmt/core.h>

#include "launcher/commands/blueprint_input.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/page.h"

namespace slipway::commands {

int expand(Args args) {
  BlueprintInput input;
  std::string format = "yaml";
  std::string output = "-";
  CommandLine line("slipway expand", "BLUEPRINT [options]",
                   "Print a blueprint with every setting explicit, expressions as ((HCL)).\n"
                   "The result is a blueprint again and means the same.");
  input.add_options(line);
  line.option("format", "yaml|json", "how to print it (default yaml)", &format);
  line.option("output,o", "FILE", "where to write it, - for stdout (default -)", &output);
  line.example("slipway expand examples/quickstart.yaml", "what the quickstart sets in all");
  line.example("slipway expand cluster.yaml --format json -o cluster.json", "for another program");
  if (!line.parse(args)) return 0;
  if (format != "yaml" && format != "json") {
    throw UsageError(fmt::format("unknown format `{}`; it is `yaml` or `json`", format));
  }
  input.need_files = false;
  LoadedBlueprint loaded(input, Purpose::deployment);
  const auto tree = blueprint::expand(loaded.deployment());
  const std::string text = format == "json" ? tree.dump(2) + "\n" : blueprint::to_yaml(tree);
  write_result(output, text);
  return 0;
}

}  // namespace slipway::commands
