// One command at a time changes a deployment.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "common/fd.h"
#include "launcher/local/deployment_folder.h"

namespace slipway::local {

// The lock of a deployment's name, for as long as it lives. It is a file beside the deployments, so
// that it can be held before the folder is there and after it is gone, and stays.
class DeploymentLock {
 public:
  // Waits for commands that take a moment (a fault), and for a change that goes on by itself since
  // its command was interrupted: `interrupted_change` is called once when there is such a one.
  // Throws Error that says who holds the lock when that is another deploy or destroy, or takes too
  // long. `verb`: "deploy", "destroy", "fault".
  DeploymentLock(const DeploymentFolder& folder, const std::string& verb,
                 const std::function<void()>& interrupted_change = {});

  const Fd& file() const { return file_; }

 private:
  Fd file_;
};

// For whoever holds the lock's file on behalf of a command that is gone: says so to those who wait.
void say_interrupted(const Fd& lock_file);

}  // namespace slipway::local
