// The keeper of a node: the process that holds steps in memory, beside the launcher's agent, so
// that the agent never waits for a file or the network.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "common/handshake.h"
#include "common/secret.h"

namespace slipway::checkpoint {

struct KeeperSettings {
  std::filesystem::path root;  // an empty folder of ours, in memory
  std::string node;
  std::string block;  // of the network's topology
  Secret key;         // that all keepers of the job have
  Speaker own;
  int64_t most_bytes = 0;
  std::string off;  // if this is not empty: why the keeper only removes what programs write
};

// Serves until the other end of `socket` is closed, also because the agent was killed. Then
// removes the contents of its folder, and the folder, and ends the process.
[[noreturn]] void run_keeper(int socket, const KeeperSettings& settings);

}  // namespace slipway::checkpoint
