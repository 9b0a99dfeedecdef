// Reads a known number of bytes from a TCP socket.
#include "common/tcp_frame.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

namespace slipway {

bool receive_exactly(int socket, char* into, size_t size, Deadline deadline) {
  for (size_t have = 0; have < size;) {
    const ssize_t got = ::recv(socket, into + have, size - have, 0);
    if (got > 0) {
      have += static_cast<size_t>(got);
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else if (got == 0 || errno != EAGAIN || !wait_for(socket, POLLIN, deadline)) {
      return false;
    }
  }
  return true;
}

std::optional<std::string> receive_frame(int socket, size_t size, Deadline deadline) {
  std::string frame(size, '\0');
  if (!receive_exactly(socket, frame.data(), size, deadline)) return std::nullopt;
  return frame;
}

}  // namespace slipway
