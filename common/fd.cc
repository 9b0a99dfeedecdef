// Pairs of file descriptors.
#include "common/fd.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "common/error.h"

namespace slipway {

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw_errno("cannot make a pipe");
  return {Fd(ends[0]), Fd(ends[1])};
}

SocketPair make_socket_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    throw_errno("cannot make a pair of sockets");
  }
  return {Fd(ends[0]), Fd(ends[1])};
}

void close_all_but(std::vector<int> keep) {
  std::ranges::sort(keep);
  unsigned from = 3;
  for (int fd : keep) {
    const auto kept = static_cast<unsigned>(fd);
    if (kept < from) continue;
    if (kept > from) ::close_range(from, kept - 1, 0);
    from = kept + 1;
  }
  ::close_range(from, ~0U, 0);
}

}  // namespace slipway
