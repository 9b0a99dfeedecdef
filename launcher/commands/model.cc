// `slipway model`: prints the cluster that a blueprint means.
#include <cstdio>

#include "launcher/cluster/json.h"
#include "launcher/commands/blueprint_input.h"
#include "launcher/commands/commands.h"

namespace slipway::commands {

int model(Args args) {
  BlueprintInput input;
  CommandLine line("slipway model", "BLUEPRINT [options]",
                   "Print the cluster that a blueprint means, as JSON (schema slipway/model/1).");
  input.add_options(line);
  line.example("slipway model examples/quickstart.yaml", "networks, file systems, nodesets, …");
  line.example("slipway model examples/quickstart.yaml | jq .nodesets", "only the nodesets");
  if (!line.parse(args)) return 0;
  std::fputs(cluster::to_json(load_cluster(input).cluster).c_str(), stdout);
  return 0;
}

}  // namespace slipway::commands
