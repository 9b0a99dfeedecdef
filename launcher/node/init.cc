// PID 1 of a node in a PID namespace.
#include "launcher/node/init.h"

#include <signal.h>
#include <sys/wait.h>

#include <cerrno>

namespace slipway::node {

void reap_children_forever() {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &child, nullptr);
  for (;;) {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    int signal = 0;
    ::sigwait(&child, &signal);
  }
}

}  // namespace slipway::node
