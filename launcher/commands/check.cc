// `slipway check`: reports every mistake in a blueprint.
#include <fmt/core.h>

#include "launcher/commands/blueprint_input.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/page.h"
#include "launcher/commands/target.h"
#include "launcher/source/json.h"

namespace slipway::commands {

int check(Args args) {
  BlueprintInput input;
  std::string target;
  CommandLine line("slipway check", "Check a blueprint and report every mistake in it.");
  line.about(
      "It makes the plans that `deploy` and `create` make, without writing or starting anything, "
      "so these find nothing new. What only one target refuses is a warning unless you name the "
      "target.\n\n"
      "Each mistake has a code, such as E0203, its place in the file and, where possible, a "
      "suggestion. `slipway explain E0203` describes a code with an example.");
  input.add_options(line);
  line.option("target", "local|google", "check for this target only", &target, "both");
  line.example("slipway check examples/quickstart.yaml", "check an example");
  line.example("slipway check cluster.yaml -d site.yaml --vars zone=us-east4-a",
               "check it with your site's variables");
  bool json = false;
  line.json("schema slipway/diagnostics/1", &json);
  line.exit_status("1", "the blueprint has errors");
  line.see_also("slipway-explain(1)");
  line.see_also("slipway-deploy(1)");
  if (!line.parse(args)) return 0;
  require_target(target);
  input.shows_diagnostics = !json;
  LoadedBlueprint blueprint(input, Purpose::definitions);
  const bool is_right = blueprint.check({target != "google", target != "local"});
  if (json) {
    write_result("-", source::to_json_text(blueprint.diagnostics()));
  } else if (is_right) {
    fmt::print("{}: {}\n", input.blueprint, blueprint.summary());
  }
  if (!is_right) throw InvalidBlueprint();
  return 0;
}

}  // namespace slipway::commands
