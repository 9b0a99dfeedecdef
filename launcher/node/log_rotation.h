// Keeps the logs of a local node's daemons small: its PID 1 keeps the latest part of each log and
// the one before. Cloud machines use logrotate (images/logrotate.conf).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace slipway::node {

// Copies each regular file of `folder` that is larger than `limit_bytes` to <name>.1, with its mode
// and owner, and truncates it; programs that opened it for appending are not disturbed. Ignores
// links. Returns the names; a log that cannot be rotated is tried again the next time.
std::vector<std::string> rotate_logs(const std::filesystem::path& folder, uint64_t limit_bytes);

}  // namespace slipway::node
