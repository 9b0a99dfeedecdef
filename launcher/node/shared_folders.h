// The controller as a file server: folders that it shares over NFS unless the blueprint
// turns `enable_default_mounts` off, or if a file system has no server, or `$controller`.
#pragma once

#include <string>
#include <vector>

#include "launcher/node/machine.h"
#include "launcher/node/metadata.h"

namespace slipway::node {

// The folders that this machine shares: those of which it is the server, sorted, each once. Throws
// Error for a folder that is not an absolute path of plain characters: root exports it.
std::vector<std::string> folders_to_share(const ClusterFile& cluster, const MachineMetadata& self);

// Lines of exports(5). Root of other machines is root here, too: it makes users' home folders.
// Users are never root there, and the network's firewall decides which machines reach the server.
std::string exports_text(const std::vector<std::string>& folders);

// Makes the folders, and has the kernel's NFS server share them. Without folders, what was shared
// before is no longer. Throws Error if the image has no NFS server.
void share_folders(const std::vector<std::string>& folders, const Say& say);

}  // namespace slipway::node
