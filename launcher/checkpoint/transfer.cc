// Copies a step from one keeper to another.
#include "launcher/checkpoint/transfer.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/sendfile.h>
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
constexpr const char* silent = "it ended the connection, or stopped sending";

// After a call could not send.
void wait_until_writable(int socket, Deadline deadline) {
  if (errno == EINTR) return;
  if (errno != EAGAIN) throw_errno("it is gone");
  if (!wait_for(socket, POLLOUT, deadline)) throw Error("it stopped reading");
}

// `flags`: MSG_MORE if more follows at once.
void send_bytes(int socket, std::string_view bytes, Deadline deadline, int flags = 0) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | flags);
    if (sent < 0) {
      wait_until_writable(socket, deadline);
    } else {
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
  }
}

std::string length_of(size_t message) {
  const uint32_t length = htonl(static_cast<uint32_t>(message));
  return {reinterpret_cast<const char*>(&length), frame_head};
}

size_t length_from(const char* head) {
  uint32_t length = 0;
  std::memcpy(&length, head, frame_head);
  return ntohl(length);
}

std::string receive_bytes(int socket, size_t size, Deadline deadline) {
  auto bytes = receive_frame(socket, size, deadline);
  if (!bytes) throw Error(silent);
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
  const auto deadline = Clock::now() + patience_;
  send_bytes(socket_.get(), length_of(bytes.size()), deadline, MSG_MORE);
  send_bytes(socket_.get(), bytes, deadline);
}

void PeerChannel::send(const FilePiece& piece) {
  const std::string head = head_of_piece(piece.size_bytes);
  const auto deadline = Clock::now() + patience_;
  send_bytes(socket_.get(), length_of(head.size() + piece.size_bytes) + head, deadline, MSG_MORE);
  auto offset = static_cast<off_t>(piece.offset);
  for (size_t left = piece.size_bytes; left > 0;) {
    const ssize_t sent = ::sendfile(socket_.get(), piece.file, &offset, left);
    if (sent == 0) throw Error(fmt::format("`{}` has become shorter", *piece.path));
    if (sent < 0) {
      wait_until_writable(socket_.get(), deadline);
    } else {
      left -= static_cast<size_t>(sent);
    }
  }
}

PeerMessage PeerChannel::receive() {
  const auto deadline = Clock::now() + patience_;
  const size_t length = length_from(receive_bytes(socket_.get(), frame_head, deadline).data());
  return decode<PeerMessage>(receive_rest("", length, deadline));
}

std::string PeerChannel::receive_rest(std::string head, size_t length, Deadline deadline) {
  if (length > longest_order) throw Error(fmt::format("it sent a message of {} bytes", length));
  if (length < head.size()) throw Error("it sent a message that is too short");
  return head + receive_bytes(socket_.get(), length - head.size(), deadline);
}

std::optional<PeerMessage> PeerChannel::receive_piece(char* into, size_t size_bytes) {
  const auto deadline = Clock::now() + patience_;
  const std::string expected = head_of_piece(size_bytes);
  const std::string head = receive_bytes(socket_.get(), frame_head + expected.size(), deadline);
  const size_t length = length_from(head.data());
  std::string rest = head.substr(frame_head);
  if (rest != expected || length != expected.size() + size_bytes)
    return decode<PeerMessage>(receive_rest(std::move(rest), length, deadline));
  if (!receive_exactly(socket_.get(), into, size_bytes, deadline)) throw Error(silent);
  return std::nullopt;
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
    while (const auto piece = reader.next()) peer.send(*piece);
    return;
  } catch (const Error& error) {
    why = error.what();
  }
  peer.send(Refusal{why});
}

Manifest fetch_step(PeerChannel& peer, const Want& want, const std::filesystem::path& folder,
                    const Admit& admit, const Cancelled& cancelled) {
  peer.send(want);
  Manifest manifest = expect<Manifest>(peer.receive());
  if (digest_of(manifest) != want.digest) throw Error("its step has another digest");
  check_manifest(manifest);
  StepWriter writer(folder, manifest, Durable::no, admit(manifest));
  while (const size_t size = writer.next_bytes()) {
    if (cancelled()) throw Error("no longer wanted");
    auto other = peer.receive_piece(writer.room(), size);
    if (other) {
      writer.take(expect<Piece>(std::move(*other)).bytes);
    } else {
      writer.put_piece();
    }
  }
  return manifest;
}

}  // namespace slipway::checkpoint
