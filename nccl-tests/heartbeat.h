// Every rank tells rank 0 that it lives, and what it is doing; so that a rank that dies or hangs is
// named, and the others do not wait for it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nccl-tests/backend.h"

namespace slipway::bandwidth {

class Heartbeat {
 public:
  struct Settings {
    std::string program;          // for messages
    double timeout_seconds = 0;   // without a new phase on any rank; 0: for ever
    int status = 3;               // of a process that ends early
    double silence_seconds = 20;  // a rank that is not heard of for so long has gone
  };

  // All ranks. Each connects to rank 0.
  Heartbeat(Backend& backend, Settings settings);
  // The good end: nobody is missed from now on.
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  // What this rank does now. Not for every operation: those count themselves, count_operation().
  void phase(const std::string& text);

  // This rank cannot go on, and the others do not know: rank 0 says why, and all end.
  [[noreturn]] void fail(const std::string& text);

 private:
  class Thread;
  std::unique_ptr<Thread> thread_;
};

// That this rank has started one more operation. As cheap as adding one to a number.
void count_operation();

// What rank 0 knows of a rank.
struct Life {
  std::string host;
  std::string phase = "starting";
  uint64_t operations = 0;  // started so far
  double moved = 0;         // when either changed; moments of rank 0's clock
  double heard = 0;
  bool left = false;         // in good order
  bool gone = false;         // without a word
  std::string failure = {};  // what it could not do
};

// Why the run is over, in lines for the user; empty while it is not. Without progress for
// `timeout_seconds` (0: for ever) is over, as is a rank that has gone, failed, or is silent.
std::string why_over(const std::vector<Life>& ranks, double now, double timeout_seconds,
                     double silence_seconds);

}  // namespace slipway::bandwidth
