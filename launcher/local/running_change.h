// The change of a deployment that its supervisor has taken on: it goes on when the command that
// asked for it is gone, and is begun again when its own process is.
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

  // The command wants no more of it, or is gone: what can be left, is.
  void interrupt() const;
  void client_is_gone();

  // To be told how its process has ended. True when that was the end of the change; otherwise
  // another one goes on.
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
