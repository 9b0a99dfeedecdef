// Non-blocking IPv4 TCP sockets with deadlines, for the connections between ranks.
#include "nccl-tests/socket.h"

#include <fcntl.h>
#include <linux/tcp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string_view>

#include <fmt/core.h>

#include "common/tcp.h"
#include "nccl-tests/spin.h"

namespace slipway::bandwidth {
namespace {

// A longer text does not come from a rank of this program.
constexpr uint64_t longest_text = 64U << 20;

int milliseconds_until(double deadline) {
  return static_cast<int>(std::ceil(std::max(0.0, deadline - now_seconds()) * 1e3));
}

// Waits for `events`; false at the deadline. nullptr means no deadline.
bool poll_until(int socket, short events, const double* deadline) {
  for (;;) {
    pollfd entry{.fd = socket, .events = events, .revents = 0};
    const int timeout = deadline == nullptr ? -1 : milliseconds_until(*deadline);
    const int ready = ::poll(&entry, 1, timeout);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) throw_errno("cannot wait for a connection");
    if (ready == 0) return false;
  }
}

struct Ends {
  sockaddr_in own, other;
};

Ends ends_of(int socket) {
  Ends ends = {};
  socklen_t length = sizeof ends.own;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&ends.own), &length);
  ::getpeername(socket, reinterpret_cast<sockaddr*>(&ends.other), &length);
  return ends;
}

bool is_within_host(int socket) {
  const Ends ends = ends_of(socket);
  return ends.own.sin_addr.s_addr == ends.other.sin_addr.s_addr;
}

void receive_until(int socket, void* data, size_t bytes, const double* deadline,
                   const std::string& peer_name) {
  auto* to = static_cast<char*>(data);
  Spin spin;
  while (bytes > 0) {
    const ssize_t got = ::recv(socket, to, bytes, 0);
    if (got > 0) {
      to += got;
      bytes -= static_cast<size_t>(got);
    } else if (got == 0) {
      throw Error(fmt::format("{} has gone", peer_name));
    } else if (errno == EAGAIN) {
      if (spin.again()) continue;
      Spin::note_sleep();
      if (!poll_until(socket, POLLIN, deadline))
        throw Timeout(fmt::format("{} is silent", peer_name));
    } else if (errno != EINTR) {
      throw_errno(fmt::format("{} has gone", peer_name));
    }
  }
}

std::string receive_text_until(int socket, const double* deadline, const std::string& peer_name) {
  uint64_t length = 0;
  receive_until(socket, &length, sizeof length, deadline, peer_name);
  if (length > longest_text)
    throw Error(fmt::format("{} does not speak as a rank does", peer_name));
  std::string text(length, '\0');
  receive_until(socket, text.data(), text.size(), deadline, peer_name);
  return text;
}

}  // namespace

bool is_connected_to_itself(int socket) {
  const Ends ends = ends_of(socket);
  return ends.own.sin_port == ends.other.sin_port && is_within_host(socket);
}

double now_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

Fd listen_on(const std::vector<int>& ports) {
  for (const int port : ports) {
    if (Fd socket = listen_on_tcp(port)) return socket;
  }
  return {};
}

Fd connect_to(const std::string& host, int port, double seconds) {
  const auto deadline =
      std::chrono::steady_clock::now() +
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
  const Addresses addresses = addresses_of(host, port);
  Fd socket = new_tcp_socket();
  const std::string where = fmt::format("cannot connect to {} port {}", host, port);
  const int failed =
      connect_within(socket.get(), addresses->ai_addr, addresses->ai_addrlen, deadline);
  if (failed == ECONNREFUSED) throw Refused(where + ": Connection refused");
  if (failed == ETIMEDOUT) throw Timeout(where + ": no answer");
  if (failed != 0) throw_errno(where, failed);
  if (is_connected_to_itself(socket.get())) throw Refused(where + ": Connection refused");
  make_prompt(socket.get());
  return socket;
}

void make_prompt(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // Within a host there is no congestion. Some algorithms, such as BBR, would measure how fast this
  // program sends and slow it down to that; Linux always has this one, which does not.
  constexpr std::string_view unpaced = "reno";
  if (is_within_host(socket)) {
    ::setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, unpaced.data(), unpaced.size());
  }
}

void wait_to_read(int fd, double deadline) {
  if (!poll_until(fd, POLLIN, &deadline)) throw Timeout("nobody connected");
}

void send_all(int socket, const void* data, size_t bytes, const std::string& peer_name) {
  const auto* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = ::send(socket, from, bytes, MSG_NOSIGNAL);
    if (sent >= 0) {
      from += sent;
      bytes -= static_cast<size_t>(sent);
    } else if (errno == EAGAIN) {
      poll_until(socket, POLLOUT, nullptr);
    } else if (errno != EINTR) {
      throw_errno(fmt::format("{} has gone", peer_name));
    }
  }
}

void receive_all(int socket, void* data, size_t bytes, const std::string& peer_name) {
  receive_until(socket, data, bytes, nullptr, peer_name);
}

void receive_within(int socket, void* data, size_t bytes, double deadline) {
  receive_until(socket, data, bytes, &deadline, "who connected");
}

void send_text(int socket, const std::string& text, const std::string& peer_name) {
  const uint64_t length = text.size();
  send_all(socket, &length, sizeof length, peer_name);
  send_all(socket, text.data(), text.size(), peer_name);
}

std::string receive_text(int socket, const std::string& peer_name) {
  return receive_text_until(socket, nullptr, peer_name);
}

std::string receive_text_within(int socket, double deadline, const std::string& peer_name) {
  return receive_text_until(socket, &deadline, peer_name);
}

}  // namespace slipway::bandwidth
