// Interrupts as something to poll for: what is half done is undone in order.
#pragma once

#include <signal.h>

#include <chrono>

#include "common/fd.h"

namespace slipway {

// While one lives, SIGINT, SIGTERM and SIGHUP do not end the process.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // To be polled for reading, beside other descriptors.
  int fd() const { return fd_.get(); }

  // Whether one of them has come since it was last asked.
  bool take() const;

  // Throws Error("interrupted") when one of them has come.
  void check() const;

  // Waits until `other` (-1: nothing) can be read or `timeout` has passed; true when it can. Throws
  // like check().
  bool wait(int other, std::chrono::milliseconds timeout) const;

 private:
  sigset_t before_ = {};
  Fd fd_;
};

}  // namespace slipway
