// The folders of the node that a container gets without being asked: the transport of GPU traffic,
// which belongs to the machine, so that few images have it, and our plugin for NCCL.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "common/node_transport.h"

namespace slipway::container {

struct NodeFolder {
  std::filesystem::path folder;  // "/usr/local/gib"
  std::filesystem::path file;    // an image that has it has a transport of its own
};

// The folder with the transport's libraries, and with what its vendor's profile names beside them.
// Empty if the transport has no libraries.
std::optional<NodeFolder> transport_folder(const NodeTransport& transport);

// All of this node. A node without a profile, or with a damaged one, has no transport: jobs run
// there, and nccl_env reports it.
std::vector<NodeFolder> node_folders() noexcept;

}  // namespace slipway::container
