// Sockets with a name in a folder, whatever the length of the folder's path.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "common/fd.h"

namespace slipway::local {

// A SOCK_SEQPACKET socket `name` in `folder`, for its owner only; nobody listens yet. Throws Error.
Fd bind_socket(const std::filesystem::path& folder, const std::string& name);

// A connection to one, or an empty Fd when nobody listens. Throws Error otherwise.
Fd connect_to_socket(const std::filesystem::path& folder, const std::string& name);

// From here on receiving fails after this long without a message: a supervisor that was stopped, or
// hangs, does not hold its clients.
void answer_within(const Fd& connection, std::chrono::milliseconds limit);

// The user at the other end of a connection, as the caller's user namespace has it; -1 when it
// cannot be told.
uid_t peer_user(const Fd& connection);

}  // namespace slipway::local
