// Turns SIGINT, SIGTERM and SIGHUP into a descriptor to poll.
#include "common/interrupts.h"

#include <poll.h>
#include <sys/signalfd.h>

#include <cerrno>

#include "common/error.h"

namespace slipway {

Interrupts::Interrupts() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
  ::sigprocmask(SIG_BLOCK, &set, &before_);
  fd_.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_) throw_errno("signalfd");
}

Interrupts::~Interrupts() {
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

bool Interrupts::take() const {
  // Read, or the signal would be delivered when the mask is restored.
  signalfd_siginfo info;
  return ::read(fd_.get(), &info, sizeof info) == sizeof info;
}

void Interrupts::check() const {
  if (take()) throw Error("interrupted");
}

bool Interrupts::wait(int other, std::chrono::milliseconds timeout) const {
  pollfd fds[] = {{fd_.get(), POLLIN, 0}, {other, POLLIN, 0}};
  if (::poll(fds, 2, static_cast<int>(timeout.count())) < 0 && errno != EINTR) throw_errno("poll");
  check();
  return fds[1].revents != 0;
}

}  // namespace slipway
