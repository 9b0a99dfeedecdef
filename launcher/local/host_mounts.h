// What is mounted on the host, and where paths of an image lead.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace slipway::local {

// The mount points in the text of /proc/<pid>/mountinfo, in its order; \040 and its kin are undone.
std::vector<std::filesystem::path> mount_points(const std::string& mountinfo);

// Whether a mount point lies below `folder` (not `folder` itself).
bool has_mounts_below(const std::vector<std::filesystem::path>& mounts,
                      const std::filesystem::path& folder);

// Where `path` leads in a tree that has `root` as its root, without symbolic links: relative to
// `root`, and never out of it. Parts that do not exist stay as they are. Throws Error after 40
// links.
std::filesystem::path resolve_in(const std::filesystem::path& root,
                                 const std::filesystem::path& path);

}  // namespace slipway::local
