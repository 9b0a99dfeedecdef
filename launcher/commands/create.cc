// `slipway create`: writes the definitions of a cluster on Google Cloud.
#include <fmt/core.h>

#include <cstdio>
#include <filesystem>

#include "common/count.h"
#include "launcher/commands/blueprint_input.h"
#include "launcher/commands/commands.h"
#include "launcher/google/toolkit.h"
#include "launcher/google/write_folder.h"

namespace slipway::commands {

int create(Args args) {
  BlueprintInput input;
  std::string parent = ".";
  bool replace = false, force = false;
  CommandLine line("slipway create",
                   "Write the Terraform and Packer definitions of a cluster on Google Cloud.");
  line.about(
      "The definitions go into a new folder with the deployment's name. Nothing is created in the "
      "cloud. The file instructions.txt in the folder lists the commands to run; `slipway deploy "
      "FOLDER` runs them for you.");
  input.add_options(line);
  line.option("output,o", "FOLDER", "write the deployment's folder here", &parent);
  line.option("out", "FOLDER", "--output, as gcluster spells it", &parent);
  line.hide();
  line.flag("overwrite-deployment,w", "replace an existing deployment's files; its state stays",
            &replace);
  line.flag("force", "gcluster's option", &force);
  line.hide();
  line.example("slipway create cluster.yaml", "write ./DEPLOYMENT");
  line.example("slipway create cluster.yaml -d site.yaml -o /srv/clusters",
               "use your site's variables and another folder");
  line.see_also("slipway-plan(1)");
  line.see_also("slipway-deploy(1)");
  if (!line.parse(args)) return 0;
  if (force) {
    throw UsageError(
        "`create` has no --force: write --overwrite-deployment (-w); it refuses only what would "
        "lose track of deployed resources");
  }
  LoadedBlueprint loaded(input, Purpose::definitions);
  const google::Definitions definitions = loaded.define();
  const auto folder = std::filesystem::path(parent) / definitions.deployment;
  const size_t files = google::write_folder(
      folder, definitions, replace ? google::Existing::replace : google::Existing::refuse);
  if (input.diagnostics != "json") {  // otherwise programs read stderr
    for (const std::string& line : loaded.not_checked()) fmt::print(stderr, "{}\n", line);
    const std::string downloads = google::describe_downloads(loaded.deployment_with_errors());
    if (!downloads.empty()) fmt::print(stderr, "{}\n", downloads);
  }
  fmt::print(stderr, "wrote {} to {}; its instructions.txt lists the next steps\n",
             counted(files, "file"), folder.string());
  return 0;
}

}  // namespace slipway::commands
