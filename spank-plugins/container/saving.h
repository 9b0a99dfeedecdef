// Writes the image of --container-save when the last task of a step on this node has ended, while
// srun can still learn that it failed.
//
// srun takes a step's status from its tasks only. So each task of such a step has a process in
// front of it, which is the task to Slurm: it ends as the task does, and the last one asks for the
// image and waits for it. Another process writes, outside the step's cgroup: its cores and memory
// are for training.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/fd.h"
#include "spank-plugins/container/as_user.h"

namespace slipway::container {

class Saving {
 public:
  // In user_init. `save` runs as the user, in the job's mount namespace, with the descriptors in
  // `keep`. Throws Error.
  Saving(const User& user, uint32_t job, const std::function<void()>& save, std::vector<int> keep);
  Saving(const Saving&) = delete;
  Saving& operator=(const Saving&) = delete;
  ~Saving();

  // In one of `tasks` tasks: forks. Returns in the child, which becomes the task. The caller
  // ends as that does; but with status 1 if the task has status 0, is the last and the image
  // cannot be saved: `print` gets the reason. Throws Error.
  void follow_task(uint32_t tasks, const std::function<void(const std::string&)>& print) const;

  // Whether `save` has run. If Slurm killed the tasks, nobody has waited for that.
  bool has_run() const { return shared_->has_run; }

  pid_t writer() const { return writer_; }

  // Runs it, unless that has begun, and waits. Returns why it failed; empty: it did not. `limit` is
  // for slurmstepd, which Slurm expects to end soon after its tasks; the process that writes is the
  // user's, who can stop it.
  std::string run(std::optional<std::chrono::milliseconds> limit = std::nullopt) const;

 private:
  struct Shared {
    std::atomic<uint32_t> ended_tasks;
    std::atomic<bool> has_run;
  };

  Shared* shared_;  // with all tasks
  Fd line_;         // to the process that writes
  pid_t writer_ = 0;
  Fd writer_process_;
};

}  // namespace slipway::container
