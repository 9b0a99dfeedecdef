// Sends and receives JSON messages on a SOCK_SEQPACKET socket.
#include "launcher/local/message.h"

#include <fmt/core.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "common/error.h"

namespace slipway::local {
namespace {

// Room for the descriptors of one message, aligned as the kernel requires.
union ControlBuffer {
  char bytes[CMSG_SPACE(sizeof(int) * max_message_fds)];
  cmsghdr align;
};

std::vector<Fd> descriptors_of(msghdr& header) {
  std::vector<Fd> fds;
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof fd);
      fds.emplace_back(fd);
    }
  }
  return fds;
}

}  // namespace

void send_message(int socket, const nlohmann::json& body, std::span<const int> fds) {
  std::string text = body.dump();
  if (text.size() > max_message_bytes || fds.size() > max_message_fds) {
    throw Error(fmt::format("a message of {} bytes is too large", text.size()));
  }
  iovec part = {text.data(), text.size()};
  ControlBuffer control = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (!fds.empty()) {
    header.msg_control = control.bytes;
    header.msg_controllen = CMSG_SPACE(fds.size_bytes());
    cmsghdr* c = CMSG_FIRSTHDR(&header);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(fds.size_bytes());
    std::memcpy(CMSG_DATA(c), fds.data(), fds.size_bytes());
  }
  while (::sendmsg(socket, &header, MSG_NOSIGNAL) < 0) {
    if (errno != EINTR) throw_errno("cannot send a message");
  }
}

std::optional<Message> receive_message(int socket) {
  std::string text(max_message_bytes, '\0');
  iovec part = {text.data(), text.size()};
  ControlBuffer control = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.bytes;
  header.msg_controllen = sizeof control.bytes;
  ssize_t n = 0;
  while ((n = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC)) < 0) {
    if (errno == ECONNRESET) return std::nullopt;
    if (errno == EAGAIN) throw Error("the supervisor does not answer; it may be stopped");
    if (errno != EINTR) throw_errno("cannot receive a message");
  }
  Message message{nullptr, descriptors_of(header)};
  if (n == 0) return std::nullopt;
  text.resize(static_cast<size_t>(n));
  message.body = nlohmann::json::parse(text, nullptr, false);
  if ((header.msg_flags & MSG_TRUNC) != 0 || !message.body.is_object()) {
    throw Error("received something that is not a message");
  }
  return message;
}

Message receive_answer(int socket) {
  std::optional<Message> message = receive_message(socket);
  if (!message) throw Error("the supervisor of the deployment, or the node, has ended");
  if (message->body.contains("error")) throw Error(message->body["error"].get<std::string>());
  return std::move(*message);
}

}  // namespace slipway::local
