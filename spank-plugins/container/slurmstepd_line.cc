// The connection between slurmstepd and the keeper.
#include "spank-plugins/container/slurmstepd_line.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace slipway::container {
namespace {

union ControlBuffer {
  char bytes[CMSG_SPACE(sizeof(int))];
  cmsghdr header;
};

}  // namespace

bool send_with_fd(int socket, char byte, int fd) {
  iovec part = {&byte, 1};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  ControlBuffer control = {};
  if (fd >= 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    ::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  return ::sendmsg(socket, &message, MSG_NOSIGNAL) == 1;
}

bool receive_with_fd(int socket, char& byte, Fd& fd) {
  iovec part = {&byte, 1};
  ControlBuffer control = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = CMSG_LEN(sizeof(int));  // the kernel closes what else was sent
  ssize_t size = 0;
  do size = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (size < 0 && errno == EINTR);
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (size >= 0 && header != nullptr && header->cmsg_level == SOL_SOCKET &&
      header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof(int))) {
    int received = -1;
    ::memcpy(&received, CMSG_DATA(header), sizeof received);
    fd = Fd(received);
  }
  return size == 1;
}

bool readable_until(int socket, std::chrono::steady_clock::time_point deadline, int life) {
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd ready[2] = {{socket, POLLIN, 0}, {life, POLLIN, 0}};
    const int found = ::poll(ready, 2, static_cast<int>(std::max<long>(left.count(), 0)));
    if (found > 0) return ready[0].revents != 0;
    if (found == 0 || errno != EINTR) return false;
  }
}

void StepdLine::tell(Signal signal) {
  send_with_fd(socket_.get(), static_cast<char>(signal), -1);
}

Fd StepdLine::ask(Signal signal, int with) {
  char code = ENOTCONN;
  Fd answer;
  if (send_with_fd(socket_.get(), static_cast<char>(signal), with)) {
    receive_with_fd(socket_.get(), code, answer);
  }
  errno = code;
  return answer;
}

void StepdLine::wait_for_end() {
  char byte = 0;
  Fd ignored;
  while (receive_with_fd(socket_.get(), byte, ignored)) {
  }
}

}  // namespace slipway::container
