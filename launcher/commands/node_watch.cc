// `slipway node watch`: reports dead nodes to Slurm.
#include "launcher/commands/node_watch.h"

#include <chrono>

#include "common/command_line.h"
#include "common/node_profile.h"
#include "launcher/commands/root_program.h"
#include "launcher/node/boot.h"
#include "launcher/node/controllers.h"
#include "launcher/node/dead_nodes.h"
#include "launcher/node/power.h"

namespace slipway::commands {
namespace {

constexpr std::chrono::seconds cloud_deadline{60};

// Asks the cloud which machines are off: a silent node may only have lost its network.
std::vector<std::string> off_in_the_cloud(const std::vector<std::string>& nodes) {
  node::Cloud cloud;
  const node::Patience patience{std::chrono::steady_clock::now() + cloud_deadline, log_line};
  const node::MachineMetadata self = node::fetch_machine_metadata(cloud, patience);
  const node::ClusterFile cluster = node::fetch_cluster_file(cloud, self, patience);
  // Of two controllers, the other one watches.
  if (!node::is_in_control(self, cluster)) return {};
  return node::machines_off(cloud, cluster, nodes, patience);
}

}  // namespace

int node_watch(Args args) {
  CommandLine line("slipway node watch",
                   "Report dead nodes to Slurm, so that no job waits for them.");
  line.about("A service of the controller runs it as root.");
  line.example("slipway node watch", "as root, on the controller");
  line.example("tail /var/log/slurm/watch.log", "what it reported, on a local deployment");
  line.file("/var/log/slurm/watch.log", "its log on a local deployment");
  if (!line.parse(args)) return 0;
  require_root();
  forget_the_caller();
  node::Watch watch;
  watch.say = log_line;
  if (load_node_profile().target != "local") watch.confirm = off_in_the_cloud;
  node::watch_nodes(watch);
}

}  // namespace slipway::commands
