// What a machine of a cloud needs besides its services: file systems, and the way to the
// controller.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "launcher/node/cloud.h"
#include "launcher/node/told.h"

namespace slipway::node {

using Say = std::function<void(const std::string&)>;

// Writes `text` unless the file has it already. True when it was written.
bool write_changed(const std::filesystem::path& path, const std::string& text);

// Mounts an NFS share, or a bucket where the image has Cloud Storage FUSE, once; waits for its
// server. Other kinds are said, and left to the startup script.
void mount_storage(const Patience& patience, const NetworkStorage& storage, const Say& say);

// Mounts the disk that keeps slurmctld's state, where the machine has it; makes a file system on
// it when it is empty.
void mount_state_disk(const Say& say);

// Lets this machine find those of every zone that the cluster may have machines in by their short
// names: the cloud's DNS has names of zones, and a machine looks in its own only.
void know_all_zones(const ClusterFile& cluster, const Myself& self);

// Waits until the controller's name has an address. Throws Error when time is up.
void find_controller(const Patience& patience, const ClusterFile& cluster);

// Says it when an interface has another name than the profile has: rules of the transport name
// them.
void warn_of_interfaces(const NodeProfile& profile, const Myself& self, const Say& say);

// The DNS domains of the zones that a cluster has machines in but this machine, sorted.
std::vector<std::string> other_domains(const ClusterFile& cluster, const Myself& self);

// The text of /etc/resolv.conf with more domains to search in; those that it has are not repeated.
std::string resolv_conf_with(const std::string& text, const std::vector<std::string>& domains);

}  // namespace slipway::node
