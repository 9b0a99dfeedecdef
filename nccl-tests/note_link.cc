// Notes of the rendezvous over a connection.
#include "nccl-tests/note_link.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "common/error.h"

namespace slipway::bandwidth {
namespace {

constexpr size_t length_bytes = sizeof(uint64_t);
constexpr uint64_t longest_note = 64U << 20;

std::string head_of(const std::string& note) {
  const uint64_t length = note.size();
  std::string head(length_bytes, '\0');
  std::memcpy(head.data(), &length, length_bytes);
  return head;
}

}  // namespace

void NoteLink::queue(Rendezvous::Text note) {
  if (out_.empty()) head_ = head_of(*note);
  out_.push_back(std::move(note));
}

void NoteLink::send() {
  while (!out_.empty()) {
    const std::string& text = *out_.front();
    const std::string_view rest = sent_ < length_bytes
                                      ? std::string_view(head_).substr(sent_)
                                      : std::string_view(text).substr(sent_ - length_bytes);
    if (rest.empty()) {
      out_.pop_front();
      sent_ = 0;
      if (!out_.empty()) head_ = head_of(*out_.front());
      continue;
    }
    const ssize_t sent = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (sent < 0) throw_errno("another rank has gone");
    sent_ += static_cast<size_t>(sent);
  }
}

// Whether `bytes` have arrived.
bool NoteLink::fill(size_t bytes) {
  std::array<char, 4096> some;
  while (in_.size() < bytes) {
    const size_t missing = std::min(some.size(), bytes - in_.size());
    const ssize_t got = ::recv(socket_, some.data(), missing, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (got <= 0) throw Error("another rank has gone");
    in_.append(some.data(), static_cast<size_t>(got));
  }
  return true;
}

std::optional<std::string> NoteLink::receive() {
  if (in_.size() < length_bytes && !fill(length_bytes)) return std::nullopt;
  uint64_t length = 0;
  std::memcpy(&length, in_.data(), length_bytes);
  if (length > longest_note) throw Error("another rank does not speak as a rank does");
  if (!fill(length_bytes + length)) return std::nullopt;
  std::string note = in_.substr(length_bytes);
  in_.clear();
  return note;
}

// A side that sends its last note and ends makes our sending fail before we have read that note.
bool NoteLink::exchange(const std::function<bool()>& wants,
                        const std::function<void(std::string note)>& take) {
  bool is_there = true;
  try {
    send();
  } catch (const Error&) {
    out_.clear();
    is_there = false;
  }
  while (wants()) {
    std::optional<std::string> note;
    try {
      note = receive();
    } catch (const Error&) {
      return false;
    }
    if (!note) break;
    take(std::move(*note));
  }
  return is_there;
}

}  // namespace slipway::bandwidth
