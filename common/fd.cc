// File descriptors that close themselves, and pairs of them.
#include "common/fd.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

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

void read_some(Fd& fd, std::string& into) {
  char buffer[1 << 16];
  const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
  if (n > 0) {
    into.append(buffer, static_cast<size_t>(n));
  } else if (n == 0 || errno != EINTR) {
    fd.reset();
  }
}

void close_all_but(std::vector<int> keep) {
  std::ranges::sort(keep);
  unsigned from = 3;
  for (int fd : keep) {
    if (fd < 0) continue;
    const auto kept = static_cast<unsigned>(fd);
    if (kept < from) continue;
    if (kept > from) ::close_range(from, kept - 1, 0);
    from = kept + 1;
  }
  ::close_range(from, ~0U, 0);
}

}  // namespace slipway
