// Receives the signals meant for the launcher or its tasks.
#include "launcher/job/launcher_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>

#include "common/error.h"

namespace slipway::job {

LauncherSignals::LauncherSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) sigaddset(&set, number);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  fd_ = Fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_) throw_errno("signalfd");
}

std::vector<int> LauncherSignals::take() {
  std::vector<int> numbers;
  signalfd_siginfo info;
  while (::read(fd_.get(), &info, sizeof info) == sizeof info)
    numbers.push_back(static_cast<int>(info.ssi_signo));
  return numbers;
}

}  // namespace slipway::job
