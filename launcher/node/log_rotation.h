// Keeps the logs of a local node's daemons small: PID 1 keeps the newest part of each, and the one
// before. Cloud machines use logrotate (images/logrotate.conf).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace slipway::node {

// Copies each regular file of `folder` that is larger than `limit_bytes` to <name>.1, with its mode
// and owner, and empties it: programs that have it open to append go on. Links are left alone.
// Returns the names; what cannot be rotated is tried again the next time.
std::vector<std::string> rotate_logs(const std::filesystem::path& folder, uint64_t limit_bytes);

}  // namespace slipway::node
