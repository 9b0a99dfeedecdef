// Opens, kills and waits for processes by descriptor.
#include "common/pidfd.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

namespace slipway {

Fd open_pidfd(pid_t pid) {
  return Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

void kill_process(const Fd& pidfd) {
  if (pidfd) ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
}

bool ends_within(const Fd& pidfd, std::chrono::milliseconds limit) {
  using std::chrono::steady_clock;
  if (!pidfd) return true;
  const auto end = steady_clock::now() + limit;
  pollfd ended = {pidfd.get(), POLLIN, 0};
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - steady_clock::now());
    const auto patience = std::clamp<int64_t>(left.count(), 0, std::numeric_limits<int>::max());
    const int ready = ::poll(&ended, 1, static_cast<int>(patience));
    if (ready > 0) return true;
    if (patience == 0) return false;
  }
}

void wait_for_end(const Fd& pidfd) {
  if (!pidfd) return;
  pollfd ended = {pidfd.get(), POLLIN, 0};
  while (::poll(&ended, 1, -1) < 0) {
  }
}

}  // namespace slipway
