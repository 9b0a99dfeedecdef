// What has to change in a deployment that runs, for it to become another.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "launcher/local/plan.h"

namespace slipway::local {

struct Changes {
  struct Replaced {
    std::string node;
    std::string why;  // "its machine type is n2-standard-8, not n2-standard-4"
  };

  std::vector<std::string> added, removed;  // nodes
  std::vector<Replaced> replaced;           // nodes that are stopped and started again
  std::vector<std::string> networks_added, networks_removed;
  bool hosts = false;  // /etc/hosts of every node
  // What Slurm has to do: read its files again, or have slurmctld begin anew with them.
  enum class Slurm { nothing, reread, restart } slurm = Slurm::nothing;

  bool any() const;

  // Nodes that are stopped, and those that are started then.
  std::vector<std::string> stopped() const;
  std::vector<std::string> started() const;
};

// Throws Error that says so when there is something that cannot change while the deployment runs:
// its cluster's name, the address range of a network.
Changes compare(const Plan& standing, const Plan& wanted);

// A line for each thing, for whoever watches.
std::vector<std::string> lines(const Changes& changes);

}  // namespace slipway::local
