// The keeper's end of its connection to slurmstepd.
#pragma once

#include <chrono>

#include "common/fd.h"
#include "spank-plugins/container/plan_text.h"

namespace slipway::container {

class StepdLine {
 public:
  explicit StepdLine(Fd socket) : socket_(std::move(socket)) {}

  void tell(Signal signal);

  // Asks root for something. Empty, with errno set, if root does not or cannot help.
  Fd ask(Signal signal, int with = -1);

  // Returns when slurmstepd has closed its end or is gone.
  void wait_for_end();

  // Readable then, and when slurmstepd has sent something.
  int descriptor() const { return socket_.get(); }

 private:
  Fd socket_;
};

// Sends one byte, and a descriptor if `fd` is not negative. False if the other side is gone.
bool send_with_fd(int socket, char byte, int fd);

// Receives one byte, and a descriptor if one came. False at the end of the connection.
bool receive_with_fd(int socket, char& byte, Fd& fd);

// Waits until there is something to receive, or the other side is gone. False if the deadline
// passes first, or `life`, unless negative, becomes readable.
bool readable_until(int socket, std::chrono::steady_clock::time_point deadline, int life = -1);

}  // namespace slipway::container
