// The controllers of a cluster: which of them answer, and which one is in control.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "launcher/node/cloud.h"
#include "launcher/node/metadata.h"

namespace slipway::node {

// The hosts of each slurmctld that is up, from what `scontrol ping` prints.
std::vector<std::string> controllers_up(const std::string& ping);

// Whether this machine's slurmctld answers. Since 26.05 it listens before it has read its
// configuration, which it may refuse.
bool slurmctld_answers();

// The host of the slurmctld that is in control: the first that is up, since the first takes over
// again when it comes back. Empty if none answers.
std::string controller_in_control(const std::string& ping);

// Whether this controller is in control; true without a second one. Throws Error if none answers.
bool is_in_control(const MachineMetadata& self, const ClusterFile& cluster);

// Waits until Slurm's state is on a file system that both controllers mount, and makes its folder,
// which only Slurm's user can read. Does nothing without a second controller. Throws Error.
void prepare_shared_state(const Patience& patience, const ClusterFile& cluster,
                          const std::filesystem::path& folder);

}  // namespace slipway::node
