// What each machine of a cluster on existing machines becomes, from the cluster and from what the
// machines say about themselves.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/model.h"
#include "launcher/cluster/slurm_releases.h"
#include "launcher/hosts/host_facts.h"

namespace slipway::hosts {

struct HostPlan {
  std::map<std::string, std::string> slurm_files;  // the same for all
  std::vector<std::string> notes;  // "gpu003 has 7 GPUs, the others of `gpu` have 8"
};

// `facts` by the machine's name; machines that did not answer are not in it. A nodeset's line in
// slurm.conf has what most of its machines have, and the least of their memory. Throws Error if
// the machines cannot be one cluster: without the controller's facts, with different versions of
// Slurm's plugins, with a Slurm that the controller's does not work with, or if no machine of a
// nodeset has answered.
HostPlan plan_hosts(const cluster::Cluster& cluster, const cluster::Catalogue& catalogue,
                    const cluster::SlurmReleases& releases,
                    const std::map<std::string, HostFacts>& facts);

// What the blueprint has and a cluster on existing machines does not get, a line for each.
std::vector<std::string> left_out_on_hosts(const cluster::Cluster& cluster);

}  // namespace slipway::hosts
