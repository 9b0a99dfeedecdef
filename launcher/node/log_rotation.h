// Logs of a local node's daemons do not grow for ever: PID 1 keeps the newest part of each, and the
// part before. Machines of the cloud have logrotate for that (images/logrotate.conf).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace slipway::node {

// Copies each regular file of `folder` that is larger than `limit_bytes` to <name>.1, with its mode
// and owner, and empties it: who has it open to append goes on writing to it. Links are left alone.
// Returns the names; what cannot be rotated is tried again the next time.
std::vector<std::string> rotate_logs(const std::filesystem::path& folder, uint64_t limit_bytes);

}  // namespace slipway::node
