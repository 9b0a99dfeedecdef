// Which Slurm clusters a group's definitions describe, and where their machines are: Terraform does
// not know the machines of nodes, which the controller makes.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

namespace slipway::apply {

struct SlurmCluster {
  struct Controller {
    std::string project, zone, name;
    auto operator<=>(const Controller&) const = default;
  };
  std::string name;
  std::set<std::string> projects, regions;  // of its nodes and controllers
  std::set<Controller> controllers;
  bool keeps_machines = false;  // the blueprint has `enable_cleanup_compute: false`
};

// Adds the clusters of a group to those of others, by name.
void add_slurm_clusters(const std::map<std::string, nlohmann::ordered_json>& documents,
                        std::map<std::string, SlurmCluster>& clusters);

}  // namespace slipway::apply
