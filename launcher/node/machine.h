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

// Mounts an NFS share, once; waits for its server. Other kinds are said, and left to the startup
// script.
void mount_storage(const Patience& patience, const NetworkStorage& storage, const Say& say);

// Mounts the disk that keeps slurmctld's state, where the machine has it; makes a file system on
// it when it is empty.
void mount_state_disk(const Say& say);

// Waits until the controller's name has an address. Machines of another zone find it by its long
// name only, so for them there is a line in /etc/hosts. Throws Error when time is up.
void find_controller(const Patience& patience, const ClusterFile& cluster, const Myself& self);

// Says it when an interface has another name than the profile has: rules of the transport name
// them.
void warn_of_interfaces(const NodeProfile& profile, const Myself& self, const Say& say);

// /etc/hosts with a line for a name, instead of the one that an earlier start wrote.
std::string hosts_with(const std::string& hosts, const std::string& address,
                       const std::string& name, const std::string& long_name);

}  // namespace slipway::node
