// Takes a changed configuration over while slurmctld runs.
#pragma once

#include <map>
#include <string>

#include "common/slurm_version.h"
#include "launcher/node/cloud.h"
#include "launcher/node/machine.h"
#include "launcher/node/metadata.h"

namespace slipway::node {

// What makes slurmctld use new files.
struct Takeover {
  enum class How { nothing, reconfigure, restart };
  How how = How::nothing;
  std::string why;  // "MaxNodeCount changed"; empty: no need to say
};

// Compares Slurm's files before and after, by their name in /etc/slurm. What needs a restart is
// what slurm.conf(5) says.
Takeover takeover_of(const std::map<std::string, std::string>& before,
                     const std::map<std::string, std::string>& after, SlurmVersion slurm);

// One digest for all of Slurm's files in cluster.json.
std::string configuration_digest(const ClusterFile& cluster);

// Whether the files in /etc/slurm differ from those in cluster.json.
bool configuration_differs(const ClusterFile& cluster);

// Fetches the files, writes them, and has slurmctld use them. If it does not, puts the old files
// back and throws Error; then slurmctld runs with those. Throws Error and changes nothing if the
// files cannot be fetched.
void take_configuration(Cloud& cloud, const MachineMetadata& self, const ClusterFile& cluster,
                        const Patience& patience, const Say& say);

// Has slurmdbd use a changed slurmdbd.conf or another version of the database's secret, if it runs
// on this controller. Throws Error.
void follow_accounting(Cloud& cloud, const Patience& patience, const MachineMetadata& self,
                       const ClusterFile& cluster, const Say& say);

// Writes Slurm's topology from the places of the machines (launcher/node/topology_file.h), and has
// slurmctld read it if it changed. Throws Error.
void follow_machines(const ClusterFile& cluster, const Say& say);

}  // namespace slipway::node
