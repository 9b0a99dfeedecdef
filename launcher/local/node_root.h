// The root file system of a local node.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace slipway::local {

struct BindMount {
  std::filesystem::path source;  // on the host
  std::filesystem::path target;  // in the node
  bool read_only = false;
};

struct NodeRoot {
  std::filesystem::path folder;       // empty and on a tmpfs: the node's changes are kept here
  std::filesystem::path image = "/";  // what the node starts from
  std::vector<std::filesystem::path> image_mounts;  // mount points below the image, from mountinfo
  std::map<std::filesystem::path, std::string> files;  // path in the node and text
  std::vector<std::filesystem::path>
      fresh_folders;  // empty and the node's own, whatever the image has there
  std::vector<std::filesystem::path> own_memory;  // the same, each a tmpfs of its own
  std::vector<BindMount> binds;                   // in this order; targets are made
  std::vector<std::string> null_devices;          // device nodes that stand for hardware
};

// Builds the root in the caller's mount namespace, which must be its own, in a PID and a network
// namespace of its own. The image itself is never written to: every folder of it is an overlay
// whose changes stay in `folder`; folders with mounts below are built from their entries, because
// an ordinary user may not clone what is under a mount. /proc, /sys (read-only), /dev, /run and
// /tmp are the node's own, and /var/tmp leads to /tmp. Throws Error.
void build_node_root(const NodeRoot& root);

// Makes the root that was built in `folder` the root of the caller's mount namespace; the host's is
// gone from it. Throws Error.
void enter_node_root(const std::filesystem::path& folder);

}  // namespace slipway::local
