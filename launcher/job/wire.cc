// Messages between the launcher of a job and its agents.
#include "launcher/job/wire.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "common/error.h"

namespace slipway::job {
namespace {

constexpr size_t length_bytes = 4;

Fd new_socket() {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) throw_errno("cannot make a socket");
  return fd;
}

std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(const std::string& host, int port) {
  addrinfo hints = {};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int code = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (code != 0) throw Error(fmt::format("cannot find {}: {}", host, ::gai_strerror(code)));
  return {found, ::freeaddrinfo};
}

}  // namespace

Wire::Wire(Fd socket, size_t largest) : socket_(std::move(socket)), largest_(largest) {
  const int on = 1;
  ::setsockopt(fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::fcntl(fd(), F_SETFL, ::fcntl(fd(), F_GETFL) | O_NONBLOCK);
}

void Wire::put(const Message& message) {
  const std::vector<uint8_t> body = Message::to_cbor(message);
  const uint32_t length = htonl(static_cast<uint32_t>(body.size()));
  out_.append(reinterpret_cast<const char*>(&length), length_bytes);
  out_.append(body.begin(), body.end());
  flush();
}

void Wire::flush() {
  while (!out_.empty() && !gone_) {
    const ssize_t sent = ::send(fd(), out_.data(), out_.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      out_.erase(0, static_cast<size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    } else if (errno != EINTR) {
      gone_ = true;  // receive() says so
    }
  }
  if (gone_) out_.clear();
}

bool Wire::receive() {
  std::array<char, 1 << 16> buffer;
  // As much as one message of either size needs; the rest the next time.
  for (int i = 0; i < 16 && !gone_; ++i) {
    const ssize_t got = ::recv(fd(), buffer.data(), buffer.size(), 0);
    if (got > 0) {
      in_.append(buffer.data(), static_cast<size_t>(got));
    } else if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      break;
    } else if (got == 0 || errno != EINTR) {
      gone_ = true;
    }
  }
  return !gone_;
}

std::optional<Message> Wire::next() {
  uint32_t length = 0;
  if (in_.size() < length_bytes) return std::nullopt;
  std::memcpy(&length, in_.data(), length_bytes);
  length = ntohl(length);
  if (length > largest_) throw Error(fmt::format("a message of {} bytes", length));
  if (in_.size() < length_bytes + length) return std::nullopt;
  const std::string body = in_.substr(length_bytes, length);
  in_.erase(0, length_bytes + length);
  try {
    return Message::from_cbor(body);
  } catch (const Message::exception& error) {
    throw Error(fmt::format("not a message: {}", error.what()));
  }
}

Fd listen_for_agents() {
  Fd fd = new_socket();
  sockaddr_in any = {};
  any.sin_family = AF_INET;
  if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&any), sizeof any) != 0 ||
      ::listen(fd.get(), SOMAXCONN) != 0) {
    throw_errno("cannot listen for agents");
  }
  return fd;
}

int port_of(const Fd& listener) {
  sockaddr_in address = {};
  socklen_t length = sizeof address;
  if (::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    throw_errno("getsockname");
  }
  return ntohs(address.sin_port);
}

Fd connect_to_launcher(const std::string& host, int port, double seconds) {
  const auto where = addresses(host, port);
  int code = ETIMEDOUT;
  for (const addrinfo* each = where.get(); each != nullptr; each = each->ai_next) {
    Fd fd = new_socket();
    if (::connect(fd.get(), each->ai_addr, each->ai_addrlen) == 0) return fd;
    code = errno;
    pollfd waiting = {fd.get(), POLLOUT, 0};
    if (code == EINPROGRESS && ::poll(&waiting, 1, static_cast<int>(seconds * 1000)) > 0) {
      socklen_t length = sizeof code;
      ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &code, &length);
      if (code == 0) return fd;
    } else if (code == EINPROGRESS) {
      code = ETIMEDOUT;
    }
  }
  throw_errno(fmt::format("cannot reach the launcher at {}:{}", host, port), code);
}

}  // namespace slipway::job
