// Moves data along a ring or a chain of ranks, and between pairs of them.
#include "nccl-tests/flow.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "common/error.h"
#include "nccl-tests/spin.h"

namespace slipway::bandwidth {
namespace {

// The most that one system call moves: large enough to cost little, small enough for a cache.
constexpr int64_t most_bytes_at_once = 1 << 20;
// The least that is forwarded before a step is complete.
constexpr int64_t least_bytes_passed_on = 64 << 10;

// The number of bytes sent, 0 if the socket is full. Throws Error if the other side has gone.
int64_t send_now(int socket, const std::byte* data, int64_t bytes) {
  const auto most = static_cast<size_t>(std::min(bytes, most_bytes_at_once));
  const ssize_t sent = ::send(socket, data, most, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0) return sent;
  if (errno != EAGAIN && errno != EINTR) throw_errno("another rank has gone");
  return 0;
}

int64_t receive_now(int socket, std::byte* data, int64_t bytes) {
  const auto most = static_cast<size_t>(std::min(bytes, most_bytes_at_once));
  const ssize_t got = ::recv(socket, data, most, MSG_DONTWAIT);
  if (got > 0) return got;
  if (got == 0) throw Error("another rank has gone");
  if (errno != EAGAIN && errno != EINTR) throw_errno("another rank has gone");
  return 0;
}

void wait_for_any(std::vector<pollfd>& entries) {
  Spin::note_sleep();
  if (::poll(entries.data(), entries.size(), -1) < 0 && errno != EINTR) {
    throw_errno("cannot wait for another rank");
  }
}

class Runner {
 public:
  explicit Runner(const Flow& flow) : flow_(flow) {
    next_sent();
    next_received();
  }

  void run() {
    while (sends() || receives()) {
      const bool moved_out = send_some();
      const bool moved_in = receive_some();
      if (moved_out || moved_in)
        spin_.reset();
      else if (!spin_.again())
        wait();
    }
  }

 private:
  bool sends() const { return sent_step_ < flow_.sent_steps; }
  bool receives() const { return received_step_ < flow_.received_steps; }

  // Empty steps are skipped, since no byte of them arrives.
  void next_sent() {
    for (; sends(); ++sent_step_) {
      sent_ = flow_.sent(sent_step_);
      sent_bytes_ = 0;
      if (sent_.bytes > 0) return;
    }
  }
  void next_received() {
    for (; receives(); ++received_step_) {
      received_ = flow_.received(received_step_);
      got_bytes_ = ready_bytes_ = 0;
      if (received_.bytes > 0) return;
    }
  }

  // How many bytes of the current step may be sent now.
  int64_t sendable() const {
    if (!sends()) return 0;
    const int64_t rest = sent_.bytes - sent_bytes_;
    if (sent_.needs < received_step_) return rest;
    if (sent_.needs > received_step_) return 0;
    const int64_t there = ready_bytes_ - sent_bytes_;
    return there >= std::min(rest, least_bytes_passed_on) ? there : 0;
  }

  bool may_receive() const { return receives() && received_.after < sent_step_; }

  bool send_some() {
    const int64_t bytes = sendable();
    if (bytes <= 0) return false;
    const int64_t sent = send_now(flow_.next_socket, sent_.from + sent_bytes_, bytes);
    sent_bytes_ += sent;
    if (sent_bytes_ == sent_.bytes) {
      ++sent_step_;
      next_sent();
    }
    return sent > 0;
  }

  bool receive_some() {
    if (!may_receive()) return false;
    std::byte* const to = received_.add == nullptr ? received_.to : flow_.arrival.data();
    const int64_t got =
        receive_now(flow_.previous_socket, to + got_bytes_, received_.bytes - got_bytes_);
    got_bytes_ += got;
    if (received_.add == nullptr) {
      ready_bytes_ = got_bytes_;
    } else {
      reduce_arrived();
    }
    if (ready_bytes_ == received_.bytes) {
      ++received_step_;
      next_received();
    }
    return got > 0;
  }

  // Reduces the elements that have arrived completely.
  void reduce_arrived() {
    const int64_t count = (got_bytes_ - ready_bytes_) / flow_.type.bytes;
    if (count == 0) return;
    reduce_two(flow_.type, flow_.reduction, flow_.arrival.data() + ready_bytes_,
               received_.add + ready_bytes_, received_.to + ready_bytes_, count);
    ready_bytes_ += count * flow_.type.bytes;
  }

  void wait() {
    std::vector<pollfd> entries;
    if (sendable() > 0) entries.push_back({flow_.next_socket, POLLOUT, 0});
    if (may_receive()) entries.push_back({flow_.previous_socket, POLLIN, 0});
    wait_for_any(entries);
  }

  const Flow& flow_;
  Spin spin_;
  Flow::Sent sent_;
  Flow::Received received_;
  int64_t sent_step_ = 0, received_step_ = 0;
  int64_t sent_bytes_ = 0;   // of the current step
  int64_t got_bytes_ = 0;    // of the current step
  int64_t ready_bytes_ = 0;  // of the current step, in their final place
};

// Moves what it can; true if it moved anything.
template <class Move>
bool move_pieces(std::vector<Piece>& pieces, Move move) {
  bool moved = false;
  for (Piece& piece : pieces) {
    const int64_t bytes = move(piece);
    piece.data += bytes;
    piece.bytes -= bytes;
    moved = moved || bytes > 0;
  }
  std::erase_if(pieces, [](const Piece& piece) { return piece.bytes == 0; });
  return moved;
}

}  // namespace

void run(const Flow& flow) {
  Runner(flow).run();
}

void exchange(std::vector<Piece> to_send, std::vector<Piece> to_receive) {
  const auto is_empty = [](const Piece& piece) { return piece.bytes == 0; };
  std::erase_if(to_send, is_empty);
  std::erase_if(to_receive, is_empty);
  Spin spin;
  while (!to_send.empty() || !to_receive.empty()) {
    const bool moved_out =
        move_pieces(to_send, [](const Piece& p) { return send_now(p.socket, p.data, p.bytes); });
    const bool moved_in = move_pieces(
        to_receive, [](const Piece& p) { return receive_now(p.socket, p.data, p.bytes); });
    if (moved_out || moved_in) {
      spin.reset();
      continue;
    }
    if (spin.again()) continue;
    std::vector<pollfd> entries;
    for (const Piece& piece : to_send) entries.push_back({piece.socket, POLLOUT, 0});
    for (const Piece& piece : to_receive) entries.push_back({piece.socket, POLLIN, 0});
    wait_for_any(entries);
  }
}

void move_between(int out, const std::byte* from, int64_t sent_bytes, int in, std::byte* to,
                  int64_t received_bytes, const Moved& moved) {
  Spin spin;
  int64_t sent = 0, got = 0;
  while (sent < sent_bytes || got < received_bytes) {
    const int64_t went = sent < sent_bytes ? send_now(out, from + sent, sent_bytes - sent) : 0;
    const int64_t came = got < received_bytes ? receive_now(in, to + got, received_bytes - got) : 0;
    sent += went;
    got += came;
    if (went > 0 || came > 0) {
      spin.reset();
      if (moved) moved(sent, got);
    } else if (!spin.again()) {
      std::vector<pollfd> entries;
      if (sent < sent_bytes) entries.push_back({out, POLLOUT, 0});
      if (got < received_bytes) entries.push_back({in, POLLIN, 0});
      wait_for_any(entries);
    }
  }
}

void swap_with(int socket, const std::byte* from, int64_t sent_bytes, std::byte* to,
               int64_t received_bytes, const Moved& moved) {
  move_between(socket, from, sent_bytes, socket, to, received_bytes, moved);
}

}  // namespace slipway::bandwidth
