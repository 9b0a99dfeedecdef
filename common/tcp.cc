// TCP sockets over IPv4.
#include "common/tcp.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/error.h"

namespace slipway {

Fd new_tcp_socket() {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) throw_errno("cannot make a socket");
  return fd;
}

Fd listen_on_tcp(int port, const std::string& address) {
  Fd fd = new_tcp_socket();
  const int on = 1;  // a port whose last connections are still closing is free
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in any = {};
  any.sin_family = AF_INET;
  any.sin_port = htons(static_cast<uint16_t>(port));
  if (::inet_pton(AF_INET, address.c_str(), &any.sin_addr) != 1) {
    errno = EINVAL;
    return {};
  }
  const bool listens = ::bind(fd.get(), reinterpret_cast<sockaddr*>(&any), sizeof any) == 0 &&
                       ::listen(fd.get(), SOMAXCONN) == 0;
  if (listens) return fd;
  const int code = errno;
  fd.reset();
  errno = code;
  return fd;
}

int port_of(int socket) {
  sockaddr_in address = {};
  socklen_t length = sizeof address;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    throw_errno("getsockname");
  }
  return ntohs(address.sin_port);
}

Addresses addresses_of(const std::string& host, int port) {
  addrinfo hints = {};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int code = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (code != 0) throw Error(fmt::format("cannot resolve {}: {}", host, ::gai_strerror(code)));
  return {found, ::freeaddrinfo};
}

std::string ipv4_text(const sockaddr* address) {
  sockaddr_in ipv4 = {};
  std::memcpy(&ipv4, address, sizeof ipv4);
  char text[INET_ADDRSTRLEN] = {};
  ::inet_ntop(AF_INET, &ipv4.sin_addr, text, sizeof text);
  return text;
}

std::string peer_address(int socket) {
  sockaddr_in address = {};
  socklen_t size = sizeof address;
  ::getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size);
  return ipv4_text(reinterpret_cast<const sockaddr*>(&address));
}

bool wait_for(int socket, short events, Deadline deadline) {
  using std::chrono::milliseconds;
  for (;;) {
    const auto left =
        std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    pollfd entry = {socket, events, 0};
    const int ready =
        ::poll(&entry, 1, static_cast<int>(std::clamp<int64_t>(left, 0, 24L * 60 * 60 * 1000)));
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
}

int error_of(int socket) {
  int code = 0;
  socklen_t length = sizeof code;
  ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &length);
  return code;
}

int connect_within(int socket, const sockaddr* address, socklen_t size, Deadline deadline) {
  if (::connect(socket, address, size) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  return wait_for(socket, POLLOUT, deadline) ? error_of(socket) : ETIMEDOUT;
}

}  // namespace slipway
