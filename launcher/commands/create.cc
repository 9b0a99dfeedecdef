// `slipway create`: writes the definitions that a cluster on Google Cloud is made from.
#include <fmt/core.h>

#include <cstdio>
#include <filesystem>

#include "launcher/commands/blueprint_input.h"
#include "launcher/commands/commands.h"
#include "launcher/google/write_folder.h"

namespace slipway::commands {

int create(Args args) {
  BlueprintInput input;
  std::string parent = ".";
  bool replace = false;
  CommandLine line(
      "slipway create", "BLUEPRINT [options]",
      "Write the definitions that Terraform and Packer make a cluster on Google Cloud\n"
      "from, into a new folder of the deployment's name.");
  input.add_options(line);
  line.option("output,o", "DIR", "where the deployment's folder is put (default .)", &parent);
  line.flag("overwrite-deployment,w",
            "write a deployment anew that is there already; its state stays", &replace);
  line.example("slipway create cluster.yaml", "into ./DEPLOYMENT");
  line.example("slipway create cluster.yaml -d site.yaml -o /srv/clusters",
               "with a site's settings");
  if (!line.parse(args)) return 0;
  LoadedBlueprint loaded(input, Purpose::definitions);
  const google::Definitions definitions = loaded.define();
  const auto folder = std::filesystem::path(parent) / definitions.deployment;
  const size_t files = google::write_folder(
      folder, definitions, replace ? google::Existing::replace : google::Existing::refuse);
  fmt::print(stderr, "{} files in {}; instructions.txt says what to do with them\n", files,
             folder.string());
  return 0;
}

}  // namespace slipway::commands
