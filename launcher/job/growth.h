// Decides when a job that has lost nodes grows again, and with which ones. It has no clock and no
// connection: docs/decisions/0285-jobs-grow-again.md gives the reasons.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace slipway::job {

class Growth {
 public:
  using Clock = std::chrono::steady_clock;
  struct Limits {
    std::chrono::milliseconds between{};  // two restarts for growth
    std::chrono::milliseconds gather{};   // that a node waits for others, to share a restart
    std::chrono::milliseconds probation = std::chrono::hours(1);  // of a node that has joined
  };
  explicit Growth(Limits limits) : limits_(limits) {}

  bool may_join(const std::string& node) const { return !refused_.contains(node); }
  void joined(const std::string& node, Clock::time_point now);
  // It is gone, or blamed. If that is soon after it joined, it may not join again.
  void lost(const std::string& node, Clock::time_point now);
  // It may not join: its agents have another version.
  void refuse(const std::string& node) { refused_.insert(node); }
  // Nodes that failed again soon after they had joined, and those of refuse().
  const std::set<std::string>& refused() const { return refused_; }

  // Nodes that have joined and do not have a place yet, the first one first.
  const std::vector<std::string>& waiting() const { return waiting_; }
  // Takes at most so many of them.
  std::vector<std::string> take(size_t most);

  // Called again and again while an attempt runs that could have `missing` nodes more: whether the
  // time has come to restart it with those that wait. `saved` is the newest checkpoint that the
  // larger job can begin with; only a newer one than at the wish to grow counts, so that a
  // restart repeats nothing.
  bool is_due(size_t missing, std::optional<int64_t> saved, Clock::time_point now);
  // Whether the next checkpoint is awaited.
  bool awaits_checkpoint() const { return wish_.has_value(); }
  // An attempt begins, or is restarted for growth.
  void begin_attempt() { wish_.reset(); }
  void grew(Clock::time_point now) { grew_ = now; }

 private:
  bool wants(size_t missing, Clock::time_point now) const;

  Limits limits_;
  std::vector<std::string> waiting_;
  std::map<std::string, Clock::time_point> joined_;  // also those that have a place
  std::set<std::string> refused_;
  Clock::time_point last_joined_ = {};
  std::optional<Clock::time_point> grew_;
  std::optional<int64_t> wish_;  // the newest checkpoint at that time, or -1
};

}  // namespace slipway::job
