// `slipway check`: reports every mistake in a blueprint.
#include <fmt/core.h>

#include <memory>

#include "common/keep_to_end.h"
#include "launcher/commands/blueprint_input.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/page.h"
#include "launcher/commands/target.h"
#include "launcher/google/toolkit.h"
#include "launcher/source/json.h"

namespace slipway::commands {
namespace {

// Leaves a blueprint to the end of the process: taking it apart only takes time.
struct LeftAlone {
  void operator()(LoadedBlueprint* blueprint) const {
    blueprint->finish_reading();
    keep_to_end(std::unique_ptr<LoadedBlueprint>(blueprint));
  }
};

// Says which modules Terraform downloads and, for a local cluster, which it does without.
void print_notes(LoadedBlueprint& blueprint, const std::string& target) {
  if (target == "hosts") return;
  if (target != "local") {
    for (const std::string& line : blueprint.not_checked()) fmt::print(stderr, "{}\n", line);
    const std::string downloads = google::describe_downloads(blueprint.deployment_with_errors());
    if (!downloads.empty()) fmt::print(stderr, "on Google Cloud: {}\n", downloads);
    return;
  }
  for (const std::string& line : blueprint.left_out_here()) fmt::print(stderr, "{}\n", line);
}

}  // namespace

int check(Args args) {
  BlueprintInput input;
  std::string target;
  CommandLine line("slipway check", "Check a blueprint and report every mistake in it.");
  line.about(
      "It makes the plans that `deploy` and `create` make, without writing or starting anything, "
      "so these find nothing new. What only one target refuses is a warning unless you name the "
      "target. Notes say which modules come from Cluster Toolkit and, with --target local, which "
      "this machine does without.\n\n"
      "Each mistake has a code, such as E0203, its place in the file and, where possible, a "
      "suggestion. `slipway explain E0203` describes a code with an example.");
  input.add_options(line);
  line.option("target", "local|google|hosts", "check for this target only", &target,
              "hosts if it has `machines`, else the two others");
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
  const std::unique_ptr<LoadedBlueprint, LeftAlone> loaded(
      new LoadedBlueprint(input, Purpose::definitions));
  LoadedBlueprint& blueprint = *loaded;
  if (target.empty() && blueprint.has_machines()) target = "hosts";
  if (target == "hosts" && blueprint.diagnostics().errors() == 0) blueprint.machines();
  const bool is_right = blueprint.check({.local = target.empty() || target == "local",
                                         .google = target.empty() || target == "google"});
  if (json) {
    write_result("-", source::to_json_text(blueprint.diagnostics()));
  } else if (is_right) {
    if (input.diagnostics != "json") print_notes(blueprint, target);
    fmt::print("{}: {}\n", input.blueprint, blueprint.summary());
  }
  if (!is_right) throw InvalidBlueprint();
  return 0;
}

}  // namespace slipway::commands
