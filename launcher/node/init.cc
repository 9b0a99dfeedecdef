// PID 1 of a node in a PID namespace.
#include "launcher/node/init.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "launcher/node/keeper.h"

namespace slipway::node {

void reap_children_forever() {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGCHLD);
  sigaddset(&wanted, SIGHUP);
  ::sigprocmask(SIG_BLOCK, &wanted, nullptr);
  for (;;) {
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) child_ended(pid, status);
    const auto pause = start_due_services();
    const timespec time = {pause.count() / 1000, pause.count() % 1000 * 1'000'000};
    const int number = ::sigtimedwait(&wanted, nullptr, pause.count() < 0 ? nullptr : &time);
    if (number == SIGHUP) start_all_services();
  }
}

}  // namespace slipway::node
