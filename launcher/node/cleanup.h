// Deletes what a cluster's controller made in the cloud, for `slipway destroy`.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "launcher/node/cloud.h"
#include "launcher/node/machine_list.h"

namespace slipway::node {

struct ClusterPlaces {
  std::string cluster;  // Slurm's ClusterName
  std::set<std::string> projects, regions;
};

// The machines of the cluster's nodes. Throws Error.
std::vector<CloudMachine> made_machines(Cloud& cloud, const ClusterPlaces& places,
                                        const Patience& patience);

struct ControllerMachine {
  std::string project, zone, name;
};

// Deletes the controllers, waits until they are gone, and deletes groups of flex-start machines and
// then machines until there is none; then the placement policies. Throws Error with the names of remaining machines when time is up,
// or when the cloud refuses. `say` receives one line for each step that does something.
void remove_made(Cloud& cloud, const ClusterPlaces& places,
                 const std::vector<ControllerMachine>& controllers, const Patience& patience,
                 const std::function<void(const std::string&)>& say);

}  // namespace slipway::node
