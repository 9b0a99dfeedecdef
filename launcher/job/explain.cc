// What `slipway launch` sets for the tasks of a job.
#include "launcher/job/explain.h"

#include <algorithm>
#include <cstdlib>

#include "common/environment.h"
#include "launcher/job/allocation.h"
#include "launcher/job/port_offers.h"

namespace slipway::job {
namespace {

std::optional<std::string> users_variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace

TaskVariables task_variables(const LaunchOptions& options) {
  return {frameworks_of(installed_frameworks(), options.command, options.framework),
          users_variable};
}

World explained_world(const LaunchOptions& options) {
  // The ports that the agents find may be others.
  World world = {"1", {"node-0", "node-1"}, 1, 0, 0, PortOffers::first, PortOffers::first + 1};
  if (!environment_variable("SLURM_JOB_NODELIST").empty()) {
    const Allocation allocation = read_allocation();
    world.job = allocation.job;
    world.nodes = allocation.nodes;
    world.tasks_per_node = allocation.tasks_per_node;
    const auto spares =
        std::min<size_t>(static_cast<size_t>(options.spares), world.nodes.size() - 1);
    world.nodes.resize(world.nodes.size() - spares);
  }
  if (options.tasks_per_node > 0) world.tasks_per_node = options.tasks_per_node;
  return world;
}

}  // namespace slipway::job
