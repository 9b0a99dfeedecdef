// Makes machines that exist already a Slurm cluster, by ssh. Can be repeated: what is as it should
// be stays untouched. docs/start/own-machines.md
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "launcher/blueprint/machines.h"
#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/model.h"

namespace slipway::hosts {

struct HostsDeployment {
  const cluster::Cluster& cluster;  // on its hosts
  const cluster::Catalogue& catalogue;
  const blueprint::Machines& machines;
  std::filesystem::path catalogue_folder;
  std::filesystem::path packages;  // empty: from the machines' package sources
};

// How the user takes part.
struct HostsConsole {
  std::function<void(const std::string&)> print;                      // lines that stay
  std::function<void(const std::string&)> show;                       // what it does now
  std::function<void(const std::string& question)> require_approval;  // throws Error without it
  std::chrono::seconds patience{60};  // for further nodes to be ready
};

// A machine that is not part of the cluster after a deploy, or still part of it after a destroy.
struct HostProblem {
  std::string host;
  std::string problem;
  std::string help;  // may be empty
};

// Installs packages, writes Slurm's files, starts the daemons, and waits until the nodes are ready.
// Machines that do not answer are left out, and are in the result. Throws Error if there can be no
// cluster: without a controller, or if the user does not agree.
std::vector<HostProblem> deploy_on_hosts(const HostsDeployment& deployment,
                                         const HostsConsole& console);

// Takes all machines out of the cluster.
std::vector<HostProblem> destroy_on_hosts(const HostsDeployment& deployment,
                                          const HostsConsole& console);

}  // namespace slipway::hosts
