// PID 1 of a node in its own PID namespace.
#include "launcher/node/init.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include <chrono>

#include "launcher/node/log_rotation.h"
#include "launcher/node/service_supervisor.h"

namespace slipway::node {
namespace {

constexpr std::chrono::seconds between_rotations = std::chrono::minutes(10);
constexpr uint64_t largest_log_bytes = 64 << 20;

}  // namespace

void reap_children_forever() {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGCHLD);
  sigaddset(&wanted, SIGHUP);
  ::sigprocmask(SIG_BLOCK, &wanted, nullptr);
  auto rotated = std::chrono::steady_clock::now();
  for (;;) {
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) child_ended(pid, status);
    if (std::chrono::steady_clock::now() - rotated > between_rotations) {
      rotate_logs(log_folder, largest_log_bytes);
      rotated = std::chrono::steady_clock::now();
    }
    std::chrono::milliseconds pause = start_due_services();
    if (pause.count() < 0) pause = between_rotations;
    const timespec time = {pause.count() / 1000, pause.count() % 1000 * 1'000'000};
    const int number = ::sigtimedwait(&wanted, nullptr, &time);
    if (number == SIGHUP) start_all_services();
  }
}

}  // namespace slipway::node
