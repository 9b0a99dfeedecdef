// A node's keeper of fast checkpoints, from its agent's side.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "common/secret.h"
#include "common/wire.h"
#include "launcher/job/private_folder.h"
#include "launcher/job/rendezvous.h"

namespace slipway::job {

class CheckpointNode {
 public:
  // Starts the keeper. `most_bytes`: 0 for the usual share of the memory.
  CheckpointNode(std::string node, const Secret& key, int64_t most_bytes);
  ~CheckpointNode();
  CheckpointNode(const CheckpointNode&) = delete;
  CheckpointNode& operator=(const CheckpointNode&) = delete;

  // Adds $SLIPWAY_CHECKPOINTS, the folder of a rank, if there is one, and what
  // launcher/checkpoint_library/ needs.
  void add_variable(int64_t rank, Variables& variables) const;

  // Encoded messages of launcher/checkpoint/messages.h. Never waits.
  std::vector<std::string> receive();
  void send(const std::string& message);

  std::vector<pollfd> descriptors() const;
  pid_t process() const { return pid_; }  // ends by itself; 0: none

 private:
  void start(const std::string& off);

  std::string node_;
  Secret key_;
  int64_t most_bytes_ = 0;
  std::unique_ptr<PrivateFolder> folder_;
  std::unique_ptr<Wire> wire_;  // null: no keeper
  pid_t pid_ = 0;
  bool is_second_ = false;           // the first keeper ended
  std::vector<std::string> unread_;  // what this side has to say itself
};

}  // namespace slipway::job
