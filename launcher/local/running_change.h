// A change that the supervisor has accepted. It goes on when the command that asked for it is gone,
// and is resumed when its own process is killed.
#pragma once

#include <sys/types.h>

#include "common/fd.h"
#include "launcher/local/deployment_folder.h"

namespace slipway::local {

class RunningChange {
 public:
  // Starts the process of the change (transaction.h), by the journal in the folder. `lock` is the
  // deployment's (deployment_lock.h); `client` is the asking command's connection, and stays the
  // caller's.
  RunningChange(const DeploymentFolder& folder, Fd lock, const Fd& client, bool again);

  pid_t pid() const { return pid_; }

  // The command was interrupted, or is gone: the change stops if it has not begun in earnest.
  void interrupt() const;
  void client_is_gone();

  // Takes the wait status of the process. True when the change has ended; otherwise another process
  // goes on.
  bool ended(int wait_status);

 private:
  void start(bool again);

  const DeploymentFolder& folder_;
  Fd lock_;
  int client_;  // -1: gone
  int attempts_ = 0;
  pid_t pid_ = 0;
};

}  // namespace slipway::local
