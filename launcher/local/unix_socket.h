// Named Unix sockets in a folder, however long the folder's path is.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "common/fd.h"

namespace slipway::local {

// A SOCK_SEQPACKET socket `name` in `folder`, accessible to its owner only and not listening yet.
// Throws Error.
Fd bind_socket(const std::filesystem::path& folder, const std::string& name);

// A connection to such a socket, or an empty Fd if nothing listens. Throws Error otherwise.
Fd connect_to_socket(const std::filesystem::path& folder, const std::string& name);

// Makes receiving fail after this long without a message, so that a supervisor that was stopped or
// hangs does not block its clients.
void answer_within(const Fd& connection, std::chrono::milliseconds limit);

// The user at the other end of a connection, in the caller's user namespace; -1 if unknown.
uid_t peer_user(const Fd& connection);

}  // namespace slipway::local
