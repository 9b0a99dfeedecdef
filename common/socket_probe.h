// Tests whether a program accepts connections at a socket.
#pragma once

#include <filesystem>
#include <string>

namespace slipway {

// Connects and hangs up. `socket` is a path, a folder and `/*` for any socket in it, or `@` and the
// name of an abstract socket; paths are relative to `root`. Never blocks.
bool socket_answers(const std::string& socket, const std::filesystem::path& root = "/");

}  // namespace slipway
