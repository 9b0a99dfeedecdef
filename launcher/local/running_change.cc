// Runs the process that makes a change, and restarts it if it is killed.
#include "launcher/local/running_change.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "common/child.h"
#include "common/error.h"
#include "common/process.h"
#include "launcher/local/checkpoint.h"
#include "launcher/local/deployment_lock.h"
#include "launcher/local/journal.h"
#include "launcher/local/message.h"
#include "launcher/local/transaction.h"

namespace slipway::local {
namespace {

// Limits restarts of processes that were killed before they reported a result.
constexpr int most_attempts = 5;

}  // namespace

RunningChange::RunningChange(const DeploymentFolder& folder, Fd lock, const Fd& client, bool again)
    : folder_(folder), lock_(std::move(lock)), client_(client.get()) {
  start(again);
}

void RunningChange::start(bool again) {
  ++attempts_;
  pid_ = fork_child("a change");
  if (pid_ > 0) {
    count_points(0);  // the child has the count; a child that replaces it is not stopped again
    return;
  }
  ::prctl(PR_SET_NAME, "slipway-change");
  ::setpgid(0, 0);
  Fd client(client_);
  close_all_but({client.get(), lock_.get()});
  unblock_signals();
  run_transaction(folder_, client, again);
  ::_exit(0);
}

void RunningChange::interrupt() const {
  ::kill(pid_, SIGTERM);
}

void RunningChange::client_is_gone() {
  client_ = -1;
  record_interruption(lock_);
  interrupt();
}

bool RunningChange::ended(int wait_status) {
  if (WIFEXITED(wait_status)) return true;
  if (attempts_ < most_attempts && std::filesystem::exists(folder_.journal())) {
    start(true);
    return false;
  }
  return true;
}

}  // namespace slipway::local
