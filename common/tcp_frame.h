// Reads a known number of bytes from a TCP socket.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "common/tcp.h"

namespace slipway {

// `socket` is non-blocking. False if the peer closes the connection or takes too long.
bool receive_exactly(int socket, char* into, size_t size, Deadline deadline);

// `socket` is non-blocking. Nothing if the peer closes the connection or takes too long.
std::optional<std::string> receive_frame(int socket, size_t size, Deadline deadline);

}  // namespace slipway
