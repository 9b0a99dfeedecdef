// The lock that lets only one command at a time change a deployment.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "common/fd.h"
#include "launcher/local/deployment_folder.h"

namespace slipway::local {

// The lock on a deployment's name, held as long as this object exists. The lock file is outside the
// deployments' folders so that it can be held before a folder exists and after it is removed.
class DeploymentLock {
 public:
  // `verb`: "deploy", "destroy", "fault". Waits for commands that take a moment (a fault), and for
  // a change that continues after its command was interrupted; in that case it calls
  // `interrupted_change` once. Throws Error naming the holder if that is another deploy or destroy,
  // or if the wait takes too long.
  DeploymentLock(const DeploymentFolder& folder, const std::string& verb,
                 const std::function<void()>& interrupted_change = {});

  const Fd& file() const { return file_; }

 private:
  Fd file_;
};

// For the supervisor, which keeps the lock after its command is gone: records this for commands
// that wait.
void record_interruption(const Fd& lock_file);

}  // namespace slipway::local
