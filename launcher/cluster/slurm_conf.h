// Generates Slurm's configuration files from the cluster model and the catalogue.
#pragma once

#include <map>
#include <string>

#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/model.h"
#include "launcher/cluster/slurm_site.h"

namespace slipway::cluster {

// The text of each file of Slurm's configuration folder, by file name: "slurm.conf", "gres.conf",
// "mpi.conf", "plugstack.conf" and, if needed, "cgroup.conf", "topology.conf" and "health.yaml".
// All nodes use the same files. Writes nothing to disk. Throws Error if Slurm cannot express the
// cluster: an unknown machine type, no compute node, a non-numeric override where a number is
// needed.
std::map<std::string, std::string> slurm_files(const Cluster& cluster, const Catalogue& catalogue,
                                               const SlurmSite& site);

}  // namespace slipway::cluster
