// Notes of the rendezvous over a connection: each is a text preceded by its length.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "nccl-tests/rendezvous.h"

namespace slipway::bandwidth {

// Never waits, and never reads more than the notes that its owner takes: what follows them on the
// connection is for its owner.
class NoteLink {
 public:
  explicit NoteLink(int socket) : socket_(socket) {}

  int socket() const { return socket_; }
  void queue(Rendezvous::Text note);
  bool has_to_send() const { return !out_.empty(); }
  // Sends what the socket takes. Throws Error if the other side has gone.
  void send();
  // A note that has arrived completely. Throws Error if the other side has gone, or does not send
  // notes.
  std::optional<std::string> receive();
  // Sends, and passes on all notes that have arrived while `wants` says so. False if the other side
  // has gone; what it sent before is passed on even then. Throws what `take` throws.
  bool exchange(const std::function<bool()>& wants,
                const std::function<void(std::string note)>& take);

 private:
  bool fill(size_t bytes);

  int socket_;
  std::deque<Rendezvous::Text> out_;
  std::string head_;  // the length of the first note in `out_`
  size_t sent_ = 0;   // of its length and text
  std::string in_;
};

}  // namespace slipway::bandwidth
