// Sets up the agent's own process.
#include "launcher/job/agent_process.h"

#include <sched.h>
#include <sys/signalfd.h>

#include <csignal>
#include <cstring>

#include "common/error.h"

namespace slipway::job {

Fd task_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGQUIT, SIGXCPU})
    sigaddset(&set, number);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  Fd fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd) throw_errno("signalfd");
  return fd;
}

void take_all_cpus() {
  cpu_set_t all;
  std::memset(&all, 0xff, sizeof all);
  ::sched_setaffinity(0, sizeof all, &all);  // as far as the step's cgroup allows
}

}  // namespace slipway::job
