// What must change in a running deployment to match a new plan.
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
  // What Slurm has to do: reread its files, or restart slurmctld with them.
  enum class Slurm { nothing, reread, restart } slurm = Slurm::nothing;

  bool any() const;

  // Nodes that the change stops, and nodes that it then starts.
  std::vector<std::string> stopped() const;
  std::vector<std::string> started() const;
};

// Throws Error, naming the cause, when something differs that cannot change while the deployment
// runs: the cluster's name, a network's address range.
Changes compare(const Plan& current, const Plan& wanted);

// One line for each change, for the user to read.
std::vector<std::string> lines(const Changes& changes);

}  // namespace slipway::local
