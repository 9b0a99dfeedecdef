// Builds the root file system of a local node as overlays over an image.
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
  std::filesystem::path folder;                     // empty, on a tmpfs; holds the node's changes
  std::filesystem::path image = "/";                // what the node starts from
  std::vector<std::filesystem::path> image_mounts;  // mount points below the image, from mountinfo
  std::map<std::filesystem::path, std::string>
      files;  // path in the node, and its text; #! makes a program
  std::vector<std::filesystem::path>
      fresh_folders;  // empty and private to the node, whatever the image has there
  std::vector<std::filesystem::path> own_memory;  // the same, each on its own tmpfs
  std::vector<BindMount> binds;                   // in this order; targets are made
  std::vector<std::string> null_devices;          // device nodes that represent hardware
};

// Builds the root in the caller's private mount namespace; the caller also needs its own PID and
// network namespaces. The image is never written to: each of its folders becomes an overlay that
// keeps its changes in `folder`. Folders with mounts below are built entry by entry, because an
// ordinary user may not clone what a mount hides. /proc, /sys (read-only), /dev, /run and /tmp are
// the node's own, and /var/tmp links to /tmp. Throws Error.
void build_node_root(const NodeRoot& root);

// Makes the root built in `folder` the root of the caller's mount namespace and detaches the
// host's. Throws Error.
void enter_node_root(const std::filesystem::path& folder);

}  // namespace slipway::local
