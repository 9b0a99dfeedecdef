// Every rank reports once a second that it is alive and what it is doing, through a tree of ranks
// that ends at rank 0. If a rank
// dies or hangs, rank 0 names it and ends all ranks, which would otherwise wait for it forever.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nccl-tests/backend.h"

namespace slipway::bandwidth {

class Heartbeat {
 public:
  struct Settings {
    std::string program;          // for messages
    double timeout_seconds = 0;   // without progress on any rank; 0: no limit
    int status = 3;               // the exit status of a process that ends early
    double silence_seconds = 20;  // a rank that sends nothing for so long is considered dead
    // For so long before that, the process of a rank that has left may take to end.
    double ending_seconds = 60;
    // Called on every rank before its process ends early, on a thread of the heartbeat.
    std::function<void()> on_end = [] {};
  };

  // Collective: each rank connects to its parent in the tree.
  Heartbeat(Backend& backend, Settings settings);
  // Leaves, and closes the connections.
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  // The normal end: from now on, a rank whose connection ends is not an error. Rank 0 waits until
  // those of all others have ended. So if they last as long as the processes do, a process that
  // does not end is named.
  void leave();

  // Sets what this rank is doing. Single operations are counted by count_operation() instead.
  void phase(const std::string& text);

  // Reports a failure of this rank alone: rank 0 prints it, and all ranks end.
  [[noreturn]] void fail(const std::string& text);

 private:
  class Thread;
  std::unique_ptr<Thread> thread_;
};

// Counts an operation that this rank has started. It costs one addition.
void count_operation();

// What rank 0 knows about a rank.
struct RankStatus {
  std::string host;
  std::string phase = "starting";
  uint64_t operations = 0;  // started so far
  double moved = 0;         // when either last changed, by rank 0's clock
  double heard = 0;
  bool left = false;         // ended normally, and its connection with it
  bool gone = false;         // disconnected without reporting its end
  std::string failure = {};  // the error that it reported
};

// Why the run has to end, in lines for the user; empty if it does not. It ends if a rank has gone,
// failed or fallen silent, and after `timeout_seconds` (0: no limit) without progress.
std::string end_reason(const std::vector<RankStatus>& ranks, double now, double timeout_seconds,
                       double silence_seconds);

}  // namespace slipway::bandwidth
