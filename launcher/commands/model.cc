// `slipway model`: prints the cluster that a blueprint describes.
#include <cstdio>

#include "launcher/cluster/json.h"
#include "launcher/commands/blueprint_input.h"
#include "launcher/commands/commands.h"

namespace slipway::commands {

int model(Args args) {
  BlueprintInput input;
  bool json = true;
  CommandLine line("slipway model", "Print the cluster that a blueprint describes, as JSON.");
  line.about(
      "The schema is slipway/model/1: networks, file systems, images, nodesets, partitions.");
  input.add_options(line);
  line.json("the only format", &json, "");
  line.example("slipway model examples/quickstart.yaml", "print all of it");
  line.example("slipway model examples/quickstart.yaml | jq .nodesets", "print the nodesets only");
  line.see_also("slipway-expand(1)");
  if (!line.parse(args)) return 0;
  std::fputs(cluster::to_json(load_cluster(input).cluster).c_str(), stdout);
  return 0;
}

}  // namespace slipway::commands
