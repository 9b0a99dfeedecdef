// Connecting a job's agents to its launcher, with proof on both sides.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "common/fd.h"
#include "common/handshake.h"

namespace slipway::job {

inline constexpr std::string_view agent_purpose = "slipway launch";

// Listens on any port of every interface. Throws Error.
Fd listen_for_agents();
int port_of(int listener);

// Connects to the launcher as the agent of `node`, and proves it. A launcher that drops us before
// its own proof may have had no room: it is tried again until `limit` has passed. Throws Error when
// nobody there has the key, or the launcher speaks another protocol.
Fd meet_launcher(const std::string& host, int port, const Secret& key, const std::string& node,
                 std::chrono::milliseconds limit, const Speaker& own);

// What is left where a launcher was.
enum class Presence {
  answers,  // a launcher
  refused,  // the node lives, the launcher does not
  silent,   // the node is off, out of reach or frozen
};
Presence look_for_launcher(const std::string& host, int port, std::chrono::milliseconds limit);

// "slipway launch on HOST is version X (protocol N), the agent on NODE is Y (protocol M): install
// the same version on all nodes"
std::string differ(const std::string& host, const Speaker& launcher, const std::string& node,
                   const Speaker& agent);

}  // namespace slipway::job
