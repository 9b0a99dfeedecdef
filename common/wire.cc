// Sends and receives messages over a connected socket.
#include "common/wire.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "common/error.h"

namespace slipway {
namespace {

constexpr size_t length_bytes = 4;

// Erases the used bytes when they are most of the buffer.
void forget_used(std::string& bytes, size_t& used) {
  if (used < bytes.size() && used < bytes.size() / 2) return;
  bytes.erase(0, used);
  used = 0;
}

}  // namespace

Wire::Wire(Fd socket, size_t longest) : socket_(std::move(socket)), longest_(longest) {
  const int on = 1;
  ::setsockopt(fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::fcntl(fd(), F_SETFL, ::fcntl(fd(), F_GETFL) | O_NONBLOCK);
}

void Wire::put(std::string_view message) {
  queue(message);
  flush();
}

void Wire::queue(std::string_view message) {
  const uint32_t length = htonl(static_cast<uint32_t>(message.size()));
  out_.append(reinterpret_cast<const char*>(&length), length_bytes);
  out_.append(message);
}

void Wire::flush() {
  while (unsent() > 0 && !gone_) {
    const ssize_t sent = ::send(fd(), out_.data() + sent_, unsent(), MSG_NOSIGNAL);
    if (sent > 0) {
      sent_ += static_cast<size_t>(sent);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      break;
    } else if (errno != EINTR) {
      gone_ = true;  // receive() reports it
    }
  }
  if (gone_) sent_ = out_.size();
  forget_used(out_, sent_);
}

bool Wire::receive() {
  std::array<char, 1 << 16> buffer;
  // Enough for one message of typical size; the rest waits for the next call.
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

std::optional<std::string> Wire::next() {
  forget_used(in_, taken_);
  const size_t there = in_.size() - taken_;
  uint32_t length = 0;
  if (there < length_bytes) return std::nullopt;
  std::memcpy(&length, in_.data() + taken_, length_bytes);
  length = ntohl(length);
  if (length > longest_) throw Error(fmt::format("it is {} bytes long", length));
  if (there < length_bytes + length) return std::nullopt;
  std::string message = in_.substr(taken_ + length_bytes, length);
  taken_ += length_bytes + length;
  return message;
}

}  // namespace slipway
