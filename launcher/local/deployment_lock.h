// The lock with which one command at a time changes a deployment.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "common/fd.h"
#include "launcher/local/deployment_folder.h"

namespace slipway::local {

// The lock of a deployment's name, held for as long as this object lives. Its file is beside the
// deployments' folders, so that it can be held before a folder exists and after it is removed.
class DeploymentLock {
 public:
  // `verb`: "deploy", "destroy", "fault". Waits for commands that take a moment (a fault), and for
  // a change that goes on after its command was interrupted: then `interrupted_change` is called
  // once. Throws Error with the holder when that is another deploy or destroy, or when it takes too
  // long.
  DeploymentLock(const DeploymentFolder& folder, const std::string& verb,
                 const std::function<void()>& interrupted_change = {});

  const Fd& file() const { return file_; }

 private:
  Fd file_;
};

// For the supervisor, which keeps the lock when its command is gone: tells those who wait.
void say_interrupted(const Fd& lock_file);

}  // namespace slipway::local
