// Copies a step from one keeper to another.
#include "launcher/checkpoint/transfer.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "common/error.h"
#include "common/tcp.h"
#include "common/tcp_frame.h"

namespace slipway::checkpoint {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t frame_head = 4;

void send_bytes(int socket, std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (errno == EAGAIN) {
      if (!wait_for(socket, POLLOUT, deadline)) throw Error("it stopped reading");
    } else if (errno != EINTR) {
      throw_errno("it is gone");
    }
  }
}

std::string receive_bytes(int socket, size_t size, Deadline deadline) {
  auto bytes = receive_frame(socket, size, deadline);
  if (!bytes) throw Error("it ended the connection, or stopped sending");
  return std::move(*bytes);
}

template <class Kind>
Kind expect(PeerMessage message) {
  if (auto* refusal = std::get_if<Refusal>(&message)) throw Error(refusal->why);
  auto* wanted = std::get_if<Kind>(&message);
  if (wanted == nullptr) throw Error("it sent a message out of order");
  return std::move(*wanted);
}

}  // namespace

PeerChannel::PeerChannel(Fd socket, std::chrono::milliseconds patience)
    : socket_(std::move(socket)), patience_(patience) {
  const int on = 1;
  ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void PeerChannel::send(const PeerMessage& message) {
  const std::string bytes = encode(message);
  const uint32_t length = htonl(static_cast<uint32_t>(bytes.size()));
  const auto deadline = Clock::now() + patience_;
  send_bytes(socket_.get(), {reinterpret_cast<const char*>(&length), frame_head}, deadline);
  send_bytes(socket_.get(), bytes, deadline);
}

PeerMessage PeerChannel::receive() {
  const auto deadline = Clock::now() + patience_;
  uint32_t length = 0;
  std::memcpy(&length, receive_bytes(socket_.get(), frame_head, deadline).data(), frame_head);
  length = ntohl(length);
  if (length > longest_order) throw Error(fmt::format("it sent a message of {} bytes", length));
  return decode<PeerMessage>(receive_bytes(socket_.get(), length, deadline));
}

Fd connect_to_keeper(const Source& where, const Secret& key, const std::string& node,
                     const Speaker& own, std::chrono::milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  const Addresses addresses = addresses_of(where.node, static_cast<int>(where.port));
  Fd socket = new_tcp_socket();
  const int code =
      connect_within(socket.get(), addresses->ai_addr, addresses->ai_addrlen, deadline);
  if (code != 0) throw_errno("cannot connect", code);
  const std::string greeting = receive_bytes(socket.get(), greeting_bytes, deadline);
  const auto speaker = speaker_of(greeting);
  if (!speaker || speaker->protocol != own.protocol)
    throw Error("something else listens at its port");
  const std::string answer = make_answer(key, keeper_purpose, own, greeting, node);
  send_bytes(socket.get(), answer, deadline);
  const std::string confirmation = receive_bytes(socket.get(), confirmation_bytes, deadline);
  if (!check_confirmation(key, keeper_purpose, greeting, answer, confirmation))
    throw Error("it does not have this job's key");
  return socket;
}

void serve_step(PeerChannel& peer, const std::function<ServedStep(const Want&)>& find) {
  const ServedStep step = find(expect<Want>(peer.receive()));
  if (!step.manifest) return peer.send(Refusal{"it does not have the step"});
  peer.send(*step.manifest);
  std::string why;
  try {
    StepReader reader(step.folder, *step.manifest);
    Piece piece;
    while (reader.next(piece.bytes)) peer.send(piece);
    return;
  } catch (const Error& error) {
    why = error.what();
  }
  peer.send(Refusal{why});
}

Manifest fetch_step(PeerChannel& peer, const Want& want, const std::filesystem::path& folder,
                    const std::function<void(int64_t)>& admit, const Cancelled& cancelled) {
  peer.send(want);
  Manifest manifest = expect<Manifest>(peer.receive());
  if (digest_of(manifest) != want.digest) throw Error("its step has another digest");
  check_manifest(manifest);
  admit(size_of(manifest));
  StepWriter writer(folder, manifest);
  while (!writer.complete()) {
    if (cancelled()) throw Error("no longer wanted");
    writer.take(expect<Piece>(peer.receive()).bytes);
  }
  return manifest;
}

}  // namespace slipway::checkpoint
