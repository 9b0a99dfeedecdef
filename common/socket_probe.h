// Whether somebody serves at a socket.
#pragma once

#include <filesystem>
#include <string>

namespace slipway {

// Connects and hangs up. `socket` is a path, a folder and `/*` for any socket in it, or `@` and the
// name of an abstract one; paths are below `root`. It never waits.
bool socket_answers(const std::string& socket, const std::filesystem::path& root = "/");

}  // namespace slipway
