// Runs commands on machines as root, with the `ssh` of this machine.
#pragma once

#include <chrono>
#include <string>

#include "launcher/blueprint/machines.h"

namespace slipway::hosts {

// What a command on another machine said.
struct RemoteAnswer {
  std::string output;
  std::string problem;  // why there is no answer, in one line; empty if the command succeeded
  std::string help;     // what to do about it; may be empty
};

class Ssh {
 public:
  explicit Ssh(blueprint::SshAccess access) : access_(std::move(access)) {}

  // Runs a shell command as root: by sudo, without a password, if ssh logs in as another user.
  // Never asks anything. Can be called by several threads.
  RemoteAnswer run(const std::string& address, const std::string& command,
                   const std::string& input = "",
                   std::chrono::seconds deadline = std::chrono::minutes(2)) const;

 private:
  blueprint::SshAccess access_;
};

}  // namespace slipway::hosts
