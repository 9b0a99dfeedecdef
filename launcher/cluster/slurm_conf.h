// Slurm's configuration files, made from the cluster model and the catalogue.
#pragma once

#include <map>
#include <string>

#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/model.h"
#include "launcher/cluster/slurm_site.h"

namespace slipway::cluster {

// The complete text of each file of Slurm's configuration folder, by file name: "slurm.conf",
// "gres.conf", "mpi.conf", "plugstack.conf" and, where they are asked for, "cgroup.conf",
// "topology.conf" and "health.yaml". The same set serves every node. Nothing is written here.
// Throws Error when the cluster cannot be said in Slurm's terms: an unknown machine type, no
// compute node, an override that is no number where one is needed.
std::map<std::string, std::string> slurm_files(const Cluster& cluster, const Catalogue& catalogue,
                                               const SlurmSite& site);

}  // namespace slipway::cluster
