// How a job's launcher and its agents find each other, and make sure of it.
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

// Connects to the launcher as the agent of `node`, and proves that it is. One that sends us away
// before it has proven itself may have had no room, and is tried again until `limit` has passed.
// Throws Error when there is no launcher that has the key, or it is of another protocol.
Fd meet_launcher(const std::string& host, int port, const Secret& key, const std::string& node,
                 std::chrono::milliseconds limit, const Speaker& own);

// Whether somebody is where a launcher was.
enum class Presence {
  answers,  // a launcher
  refused,  // its node lives, the launcher does not
  silent,   // the node is off or out of reach, or nothing on it runs
};
Presence look_for_launcher(const std::string& host, int port, std::chrono::milliseconds limit);

// "slipway launch on HOST is version X (protocol N), the agent on NODE is Y (protocol M): install
// the same version on all nodes"
std::string differ(const std::string& host, const Speaker& launcher, const std::string& node,
                   const Speaker& agent);

}  // namespace slipway::job
