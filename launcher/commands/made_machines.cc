// The machines that Slurm started, for those who destroy its cluster.
#include "launcher/commands/made_machines.h"

#include <chrono>
#include <memory>
#include <optional>

#include "launcher/commands/operator_cloud.h"
#include "launcher/node/cleanup.h"

namespace slipway::commands {
namespace {

// GPU machines take minutes to stop.
constexpr std::chrono::minutes until_machines_are_gone{20};

node::ClusterPlaces places_of(const apply::SlurmCluster& cluster) {
  return {cluster.name, cluster.projects, cluster.regions};
}

node::Patience patience_with_machines() {
  return {std::chrono::steady_clock::now() + until_machines_are_gone, nullptr};
}

}  // namespace

apply::MadeMachines machines_made_by_slurm() {
  const auto cloud = std::make_shared<std::optional<node::Cloud>>();
  const auto connected = [cloud]() -> node::Cloud& {
    if (!*cloud) cloud->emplace(operator_cloud(operator_token()));
    return **cloud;
  };
  apply::MadeMachines made;
  made.find = [connected](const apply::SlurmCluster& cluster) {
    std::vector<std::string> names;
    for (const node::CloudMachine& machine :
         node::made_machines(connected(), places_of(cluster), patience_with_machines())) {
      names.push_back(machine.name);
    }
    return names;
  };
  made.remove = [connected](const apply::SlurmCluster& cluster,
                            const std::function<void(const std::string&)>& say) {
    std::vector<node::ControllerMachine> controllers;
    for (const auto& one : cluster.controllers) {
      controllers.push_back({one.project, one.zone, one.name});
    }
    node::remove_made(connected(), places_of(cluster), controllers, patience_with_machines(), say);
  };
  return made;
}

}  // namespace slipway::commands
