// Whose process has the other end of a TCP connection within this host. A port of the host is free
// for every user to take, so who connects to one should ask before it believes an answer.
#pragma once

#include <sys/types.h>

#include <optional>

namespace slipway {

// As this process' user namespace has the user. Empty: the other end is not in this network
// namespace, or has closed the connection. Ask once the other side has answered: before it has
// accepted, Linux before 6.17 gives root as the owner.
std::optional<uid_t> owner_of_peer(int socket);

}  // namespace slipway
