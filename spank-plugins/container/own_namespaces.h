// What a container's own namespaces need before they are of use: --container-unshare.
#pragma once

#include <string>
#include <vector>

namespace slipway::container {

// CLONE_NEW… of a word of --container-unshare, "net", "ipc" or "uts"; 0 of another.
int namespace_of(const std::string& word);

// In the new namespaces, with the container's root: turns on the loopback interface, and mounts the
// message queues. Throws Error.
void set_up_own_namespaces(const std::vector<std::string>& unshared);

}  // namespace slipway::container
