// Prepares a cloud machine for its services: file systems, and how to reach the controller.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "launcher/node/cloud.h"
#include "launcher/node/metadata.h"

namespace slipway::node {

using Say = std::function<void(const std::string&)>;

// Writes `text` unless the file already contains it. True if it was written.
bool write_changed(const std::filesystem::path& path, const std::string& text);

// Mounts an NFS share, or a bucket if the image has Cloud Storage FUSE, unless it is mounted; waits
// for its server. Other types are reported and left to the startup script.
void mount_storage(const Patience& patience, const NetworkStorage& storage, const Say& say);

// Mounts the disk for slurmctld's state, if the machine has one; makes a file system on it if it is
// empty.
void mount_state_disk(const Say& say);

// Makes machines in every zone of the cluster resolvable by their short names: the cloud's DNS
// names include the zone, and a machine searches only its own.
void search_all_zones(const ClusterFile& cluster, const MachineMetadata& self);

// Waits until the controller's name resolves. Throws Error when time is up.
void wait_for_controller_address(const Patience& patience, const ClusterFile& cluster);

// Warns if an interface has a different name from the one in the profile, because the transport's
// settings refer to that name.
void warn_of_interfaces(const NodeProfile& profile, const MachineMetadata& self, const Say& say);

// The DNS domains of the cluster's zones, sorted, except this machine's own.
std::vector<std::string> other_domains(const ClusterFile& cluster, const MachineMetadata& self);

// The text of /etc/resolv.conf with additional search domains; existing ones are not repeated.
std::string resolv_conf_with(const std::string& text, const std::vector<std::string>& domains);

}  // namespace slipway::node
