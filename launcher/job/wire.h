// Messages over a connected socket. Each is its length in four bytes, the highest first, and its
// bytes (launcher/job/protocol.h). Nothing here waits: what the socket does not take stays queued.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/fd.h"

namespace slipway::job {

class Wire {
 public:
  // `longest` is the longest message to accept, in bytes.
  Wire(Fd socket, size_t longest);

  int fd() const { return socket_.get(); }

  // Queues a message, and sends what can be sent.
  void put(std::string_view message);
  void flush();
  size_t unsent() const { return out_.size() - sent_; }

  // Reads what there is. False when the other side has gone.
  bool receive();
  // The next message that has arrived as a whole. Throws Error when it is too long.
  std::optional<std::string> next();

 private:
  Fd socket_;
  size_t longest_;
  bool gone_ = false;
  std::string out_, in_;
  size_t sent_ = 0, taken_ = 0;  // of out_ and in_
};

}  // namespace slipway::job
