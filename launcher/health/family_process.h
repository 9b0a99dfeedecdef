// A family of checks in a process of its own: what hangs with a driver hangs there, and is killed.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "common/fd.h"
#include "common/process_stat.h"
#include "launcher/health/runner.h"

namespace slipway::health {

// For a child that asks a driver and may hang there for ever: it ends with its parent, and keeps
// nothing of the parent's open but `words`, so nobody who reads our output waits for it.
void stand_apart(int words);

// Reaps a child that was sent SIGKILL. One that is stuck in the kernel is left to it.
void reap_killed(pid_t child);

class FamilyProcess {
 public:
  // Starts it. Throws Error.
  FamilyProcess(Family family, const Context& context);
  // Kills it, if it has not ended.
  ~FamilyProcess() { kill(); }
  FamilyProcess(const FamilyProcess&) = delete;
  FamilyProcess& operator=(const FamilyProcess&) = delete;

  pid_t pid() const { return pid_; }
  int fd() const { return words_.get(); }  // to be polled; -1 when it has ended
  bool ended() const { return !words_; }
  void hear();  // once, when there is something to read
  // One that is stuck in the kernel cannot be killed, and is left to it.
  void kill();

  // What it has seen. One that was killed before it ended hung, and its finding says at what;
  // `limit` is what it was given. One that had no processor for most of it did not hang: that is a
  // finding `overloaded`. What one that failed was about is among the skipped.
  Look look(std::chrono::milliseconds limit) const;

 private:
  Family family_;
  pid_t pid_ = 0;
  Fd words_;  // lines: what it is doing; the last one is what it has seen
  std::string text_;
  bool was_ready_ = false;            // to run, when it was killed before it ended
  std::optional<ProcessorTime> had_;  // the same
};

}  // namespace slipway::health
