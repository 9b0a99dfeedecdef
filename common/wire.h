// Sends and receives messages over a connected socket. Each is its length in four bytes,
// big-endian, and its bytes (common/encoding.h). Never waits: what the socket does not take
// stays queued.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/fd.h"

namespace slipway {

class Wire {
 public:
  // `longest` is the longest message to accept, in bytes.
  Wire(Fd socket, size_t longest);

  int fd() const { return socket_.get(); }

  // Queues a message for the next flush(), with which many cost little more than one.
  void queue(std::string_view message);
  // Queues a message, and sends what can be sent now.
  void put(std::string_view message);
  void flush();
  size_t unsent() const { return out_.size() - sent_; }

  // Reads what has arrived. False if the other side is gone.
  bool receive();
  // The next complete message. Throws Error if it is too long.
  std::optional<std::string> next();

 private:
  Fd socket_;
  size_t longest_;
  bool gone_ = false;
  std::string out_, in_;
  size_t sent_ = 0, taken_ = 0;  // of out_ and in_
};

}  // namespace slipway
