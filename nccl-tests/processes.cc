// Several ranks from one started process.
#include "nccl-tests/processes.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>

#include <fmt/core.h>

#include "common/error.h"
#include "nccl-tests/environment.h"
#include "nccl-tests/launch.h"

namespace slipway::bandwidth {
namespace {

constexpr int status_of_killed = 3;  // the test could not run

pid_t started_process = 0;

// Nobody reads what this process prints, as in `| head`. The started process ends of the same
// signal, as a program of one process would, and all others with it: none misses another and
// complains.
void end_all_of_them(int signal) {
  if (::getppid() != started_process) ::_exit(status_of_killed);
  ::kill(started_process, signal);
  ::sleep(1);  // the first process of a container does not end of it
  ::_exit(status_of_killed);
}

void end_together_without_reader(pid_t parent) {
  started_process = parent;
  struct sigaction before = {};
  ::sigaction(SIGPIPE, nullptr, &before);
  if (before.sa_handler != SIG_DFL) return;
  struct sigaction action = {};
  action.sa_handler = end_all_of_them;
  ::sigaction(SIGPIPE, &action, nullptr);
}

// In the child. It must not outlive its parent, which the launcher knows.
void begin_share(int number, int count, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(status_of_killed);
  end_together_without_reader(parent);
  ::setenv(share_variable, fmt::format("{}/{}", number, count).c_str(), 1);
}

// The processes that were started, by their ids, as messages name them.
using Ranks = std::map<pid_t, std::string>;

// The worst status of the ranks. A stopped process never ends by itself, so it is killed when all
// others have ended.
int wait_for_all(const Ranks& ranks, const std::string& program) {
  int worst = 0;
  std::set<pid_t> stopped;
  for (size_t left = ranks.size(); left > 0;) {
    int status = 0;
    const pid_t child = ::waitpid(-1, &status, WUNTRACED | WCONTINUED);
    if (child < 0) break;
    if (ranks.count(child) == 0) continue;  // of the shell that became this program by `exec`
    if (WIFSTOPPED(status)) {
      stopped.insert(child);
    } else if (WIFCONTINUED(status)) {
      stopped.erase(child);
    } else {
      stopped.erase(child);
      --left;
      if (WIFSIGNALED(status))
        fmt::print(stderr, "{}: {} was killed by signal {}\n", program, ranks.at(child),
                   WTERMSIG(status));
      worst = std::max(worst, WIFEXITED(status) ? WEXITSTATUS(status) : status_of_killed);
    }
    if (stopped.size() < left) continue;
    for (const pid_t one : stopped) {
      fmt::print(stderr, "{}: {} was stopped, and all others have ended\n", program, ranks.at(one));
      ::kill(one, SIGKILL);
    }
    stopped.clear();
  }
  return worst;
}

}  // namespace

std::optional<int> become_several(int count, const std::string& program) {
  const pid_t parent = ::getpid();
  const int first_rank = launcher_rank() * count;
  Ranks ranks;
  std::fflush(nullptr);
  for (int number = 0; number < count; ++number) {
    const pid_t child = ::fork();
    if (child < 0) throw_errno("cannot start a process for each GPU");
    if (child > 0) {
      ranks[child] = fmt::format("rank {} (process {})", first_rank + number, child);
      continue;
    }
    begin_share(number, count, parent);
    return std::nullopt;
  }
  return wait_for_all(ranks, program);
}

}  // namespace slipway::bandwidth
