// Pairs of file descriptors.
#include "common/fd.h"

#include <fcntl.h>
#include <sys/socket.h>

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

}  // namespace slipway
