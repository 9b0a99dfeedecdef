// The folders of the node that a container gets without being asked.
#include "spank-plugins/container/transport_folder.h"

#include <algorithm>
#include <exception>
#include <iterator>

#include "common/installation.h"
#include "common/node_profile.h"

namespace slipway::container {
namespace {

namespace fs = std::filesystem;

// A vendor that has a folder of its own below one such as /usr/local or /var/lib.
constexpr auto least_parts = 4;  // with the root

fs::path common_folder(const fs::path& a, const fs::path& b) {
  fs::path common;
  auto other = b.begin();
  for (auto part = a.begin(); part != a.end() && other != b.end() && *part == *other;
       ++part, ++other) {
    common /= *part;
  }
  return common;
}

}  // namespace

std::optional<NodeFolder> transport_folder(const NodeTransport& transport) {
  const NodeTransport::Libraries& libraries = transport.libraries;
  if (libraries.folder.empty() || libraries.names.empty()) return std::nullopt;
  const fs::path folder = fs::path(libraries.folder).lexically_normal();
  const fs::path vendors = common_folder(folder, transport.vendor_profile.path);
  const bool is_vendors = std::distance(vendors.begin(), vendors.end()) >= least_parts;
  return NodeFolder{is_vendors ? vendors : folder, folder / libraries.names.front()};
}

std::vector<NodeFolder> node_folders() noexcept {
  const fs::path profiler = own_installation().nccl_profiler();
  std::vector<NodeFolder> all = {{profiler.parent_path(), profiler}};
  try {
    if (auto transport = transport_folder(load_node_profile().transport)) all.push_back(*transport);
  } catch (const std::exception&) {
    return all;
  }
  return all;
}

}  // namespace slipway::container
