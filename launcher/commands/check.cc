// `slipway check`: says all that is wrong with a blueprint.
#include <fmt/core.h>

#include "launcher/commands/blueprint_input.h"
#include "launcher/commands/commands.h"

namespace slipway::commands {

int check(Args args) {
  BlueprintInput input;
  CommandLine line("slipway check", "BLUEPRINT [options]",
                   "Check a blueprint and say all that is wrong with it.\n"
                   "What a code such as E0203 means stands in docs/diagnostics, with an example.");
  input.add_options(line);
  line.example("slipway check examples/quickstart.yaml", "everything that a deployment would need");
  line.example("slipway check cluster.yaml -d site.yaml --vars zone=us-east4-a",
               "with the variables of this site");
  if (!line.parse(args)) return 0;
  LoadedBlueprint blueprint(input, Purpose::check);
  if (!blueprint.check()) throw InvalidBlueprint();
  fmt::print("{}: {}\n", input.blueprint, blueprint.summary());
  return 0;
}

}  // namespace slipway::commands
