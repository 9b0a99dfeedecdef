// A change that the supervisor has accepted. It continues if the command that requested it is gone,
// and is resumed if its own process is killed.
#pragma once

#include <sys/types.h>

#include "common/fd.h"
#include "launcher/local/deployment_folder.h"

namespace slipway::local {

class RunningChange {
 public:
  // Starts the process that makes the change in the folder's journal (transaction.h). `lock` is the
  // deployment's (deployment_lock.h). `client` is the requesting command's connection; the caller
  // keeps ownership. `again`: see run_transaction().
  RunningChange(const DeploymentFolder& folder, Fd lock, const Fd& client, bool again);

  pid_t pid() const { return pid_; }

  // The command was interrupted or is gone: stops the change unless it is already past its point of
  // no return.
  void interrupt() const;
  void client_is_gone();

  // Takes the wait status of the process. True if the change has ended; otherwise another process
  // continues it.
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
