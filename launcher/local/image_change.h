// How the nodes of a running deployment change to another image, and so perhaps to another Slurm:
// first the controller with the login nodes, then the compute nodes in blocks, each when its jobs
// have ended. https://slurm.schedmd.com/upgrades.html has the order.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "launcher/cluster/slurm_releases.h"
#include "launcher/local/plan.h"
#include "launcher/node/installed_slurm.h"

namespace slipway::local {

// The Slurm of an image: slurm_of_image() of node_slurm.h.
using SlurmOf = std::function<node::InstalledSlurm(const std::string& image)>;

struct ImageStep {
  std::string what;                // "the controller and login nodes", "block 1 of 4"
  std::vector<std::string> nodes;  // that change in this step
  Plan plan;                       // of the deployment after this step
};

// Nothing if no node of both plans has another image in `wanted`. A step's plan is `current` with
// other images, and with Slurm's files as both releases read them: whatever else `wanted` changes
// comes after these steps. `at_once`: how many compute nodes a block has;
// 0 means a tenth of those that change, and at least one.
std::vector<ImageStep> image_steps(const Plan& current, const Plan& wanted, size_t at_once,
                                   const SlurmOf& slurm_of);

// Throws Error if the Slurm of the image that `wanted` starts from cannot follow on that of a node
// in `current` while jobs run.
void require_slurm_upgrade(const Plan& current, const Plan& wanted,
                           const cluster::SlurmReleases& releases, const SlurmOf& slurm_of);

}  // namespace slipway::local
