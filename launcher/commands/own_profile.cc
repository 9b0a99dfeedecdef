// Describes the node that a job runs on.
#include "launcher/commands/own_profile.h"

#include "common/environment.h"
#include "launcher/commands/blueprint_input.h"
#include "launcher/commands/node_describe.h"
#include "launcher/hosts/describe.h"

namespace slipway::commands {

NodeProfile describe_own_node() {
  const std::filesystem::path folder = catalogue_folder();
  const cluster::Catalogue catalogue = read_whole_catalogue(folder);
  const hosts::HardwareTable table = hosts::load_hardware_table(folder);
  hosts::Wishes wishes;
  wishes.cluster = environment_variable("SLURM_CLUSTER_NAME");
  wishes.node = environment_variable("SLURMD_NODENAME");
  const hosts::Answers answers = hosts::ask_this_machine(hosts::AskNvml::no);
  return hosts::describe(health::Machine(), answers, {catalogue, table}, wishes).profile;
}

}  // namespace slipway::commands
