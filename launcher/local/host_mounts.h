// What is mounted on the host.
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

}  // namespace slipway::local
