// Runs a family of checks in a child process, which is killed if it hangs, for example in a driver.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "common/fd.h"
#include "common/process_stat.h"
#include "launcher/health/runner.h"

namespace slipway::health {

// For a child that calls a driver and may hang there forever: it dies with its parent and keeps no
// file open but `words`, so that nobody who reads the parent's output waits for the child.
void isolate_child(int words);

// Reaps a child that was sent SIGKILL, unless it is stuck in the kernel.
void reap_killed(pid_t child);

class FamilyProcess {
 public:
  // Starts the child. Throws Error.
  FamilyProcess(Family family, const Context& context);
  // Kills the child if it has not ended.
  ~FamilyProcess() { kill(); }
  FamilyProcess(const FamilyProcess&) = delete;
  FamilyProcess& operator=(const FamilyProcess&) = delete;

  pid_t pid() const { return pid_; }
  int fd() const { return words_.get(); }  // for poll(); -1 once it has ended
  bool ended() const { return !words_; }
  void read();  // reads once; call it if fd() is readable
  // A child that is stuck in the kernel cannot be killed, and is left alone.
  void kill();

  // Its results. If it was killed before it ended, it hung: a finding says during which step, with
  // `limit` as the time that it was given. If it had no CPU for most of that time, the finding is
  // `overloaded` instead. If its checks failed, they are reported as skipped.
  CheckResults results(std::chrono::milliseconds limit) const;

 private:
  Family family_;
  pid_t pid_ = 0;
  Fd words_;  // JSON lines: its steps, and last its results
  std::string text_;
  bool was_ready_ = false;            // runnable when it was killed
  std::optional<ProcessorTime> had_;  // CPU time when it was killed
};

}  // namespace slipway::health
