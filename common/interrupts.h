// Turns SIGINT, SIGTERM and SIGHUP into a descriptor to poll, so that an interrupted operation can
// clean up.
#pragma once

#include <signal.h>

#include <chrono>

#include "common/fd.h"

namespace slipway {

// While an object exists, SIGINT, SIGTERM and SIGHUP do not end the process.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // Poll it for reading, together with other descriptors.
  int fd() const { return fd_.get(); }

  // Whether a signal has arrived since the last call.
  bool take() const;

  // Throws Error("interrupted") if a signal has arrived.
  void check() const;

  // Waits until `other` (-1: none) is readable or `timeout` has passed; true if it is readable.
  // Throws like check().
  bool wait(int other, std::chrono::milliseconds timeout) const;

 private:
  sigset_t before_ = {};
  Fd fd_;
};

}  // namespace slipway
