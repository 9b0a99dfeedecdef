// Limits how many messages go out within some time, and counts the others.
#pragma once

#include <cstdint>
#include <ctime>
#include <deque>
#include <map>
#include <string>

namespace slipway::tell {

class RateLimit {
 public:
  // What a file keeps while the program does not run.
  struct State {
    std::deque<std::time_t> sent;             // within the window
    std::map<std::string, int64_t> left_out;  // by event
    std::time_t since = 0;                    // of the first that was left out
  };

  RateLimit(int most, double minutes)
      : most_(static_cast<size_t>(most)), window_(static_cast<std::time_t>(minutes * 60)) {}

  // Whether one more may go out now; then it counts.
  bool take(std::time_t now);

  void leave_out(const std::string& event, std::time_t now);
  bool has_left_out() const { return !state_.left_out.empty(); }
  // "7 messages were left out since 2026-01-31 12:00:00Z (3 breaker, 4 drain)", and forgets them;
  // empty if there were none.
  std::string take_left_out();

  const State& state() const { return state_; }
  void restore(State state) { state_ = std::move(state); }

 private:
  size_t most_;
  std::time_t window_;
  State state_;
};

}  // namespace slipway::tell
