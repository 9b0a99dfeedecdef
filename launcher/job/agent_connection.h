// Connects agents to their launcher, with proof of identity on both sides.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "common/fd.h"
#include "common/handshake.h"

namespace slipway::job {

inline constexpr std::string_view agent_purpose = "slipway launch";

// Listens on any free port of all interfaces. Throws Error.
Fd listen_for_agents();

// Connects to the launcher as the agent of `node`, and proves it. If the launcher drops the
// connection before its own proof, it may be out of room: tries again until `limit` has passed.
// Throws Error if the peer does not have the key, or the launcher speaks another protocol.
Fd connect_to_launcher(const std::string& host, int port, const Secret& key,
                       const std::string& node, std::chrono::milliseconds limit,
                       const Speaker& own);

// What answers where the launcher was.
enum class Presence {
  answers,  // a launcher
  refused,  // the node is up, the launcher is not
  silent,   // the node is off, unreachable or frozen
};
Presence probe_launcher(const std::string& host, int port, std::chrono::milliseconds limit);

// "slipway launch on HOST is version X (protocol N), the agent WHERE is Y (protocol M): install the
// same version on all nodes"
std::string version_mismatch(const std::string& host, const Speaker& launcher,
                             const std::string& where, const Speaker& agent);

}  // namespace slipway::job
