// Reads the host's mount points, and resolves paths inside an image.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace slipway::local {

// The mount points in the text of /proc/<pid>/mountinfo, in its order, with \040 and similar
// unescaped.
std::vector<std::filesystem::path> mount_points(const std::string& mountinfo);

// Whether a mount point is below `folder` (not `folder` itself).
bool has_mounts_below(const std::vector<std::filesystem::path>& mounts,
                      const std::filesystem::path& folder);

// Resolves symbolic links in `path` inside a tree whose root is `root`. The result is relative to
// `root` and never outside it. Parts that do not exist are kept. Throws Error after 40 links.
std::filesystem::path resolve_in(const std::filesystem::path& root,
                                 const std::filesystem::path& path);

}  // namespace slipway::local
