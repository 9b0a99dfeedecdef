// `slipway expand`: prints a blueprint with every setting explicit.
#include "launcher/blueprint/expand.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "launcher/commands/blueprint_input.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/page.h"

namespace slipway::commands {

int expand(Args args) {
  BlueprintInput input;
  std::string output = "-";
  bool json = false;
  CommandLine line("slipway expand", "Print a blueprint with every setting explicit.");
  line.about(
      "The result is a blueprint with the same meaning; expressions are written as ((HCL)).");
  input.add_options(line);
  line.json("", &json, "yaml");
  line.option("output,o", "FILE", "write it to this file; - is stdout", &output);
  line.option("out", "FILE", "--output, as gcluster spells it", &output);
  line.hide();
  line.example("slipway expand examples/quickstart.yaml", "print all settings of the quickstart");
  line.example("slipway expand cluster.yaml --json -o cluster.json", "write JSON for a program");
  line.see_also("slipway-explain(1)");
  if (!line.parse(args)) return 0;
  input.need_files = false;
  LoadedBlueprint loaded(input, Purpose::deployment);
  const auto tree = blueprint::expand(loaded.deployment());
  const std::string text = json ? tree.dump(2) + "\n" : blueprint::to_yaml(tree);
  write_result(output, text);
  return 0;
}

}  // namespace slipway::commands
