// Watches a job from outside, without touching its program: what its ranks do, what they print, and
// which step that says they have reached.
#pragma once

#include <re2/re2.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launcher/job/launch.h"
#include "launcher/job/log_rules.h"
#include "launcher/job/node_clocks.h"
#include "launcher/job/output_lines.h"
#include "launcher/job/protocol.h"
#include "launcher/job/watch_judge.h"

namespace slipway::job {

// The variables that turn on NCCL's inspector, unless this process has them.
Variables inspector_variables();
// What else this process has keeps them from recording anything, for people; empty: nothing.
std::string inspector_warning(const Variables& variables);

class JobWatch {
 public:
  explicit JobWatch(const LaunchOptions& options);

  // How often agents report; 0: nothing reads what they see.
  std::chrono::milliseconds interval() const;

  // An attempt begins, with the node of each rank.
  void begin(const std::vector<std::string>& nodes, int64_t tasks_per_node);
  // Throws InvalidMessage if a rank does not run on the node.
  void handle(const std::string& node, const Watched& watched);
  // Returns the step that the output reports, if it does.
  std::optional<int64_t> output(const TaskText& text);
  // When a step was last reported, by whatever way.
  void progressed(std::chrono::steady_clock::time_point at);

  // What is new.
  std::vector<WatchFinding> findings();
  // "the hang has ended by itself after 700 s", or what keeps stragglers from being found; each
  // once. Empty if there is nothing.
  std::string news();

  // Whether the options end an attempt for this finding, and blame the node that it names.
  bool ends_attempt(const WatchFinding& finding) const;
  bool blames(const WatchFinding& finding) const;

 private:
  double now() const;
  const std::string& action(const WatchFinding& finding) const;

  double hang_seconds_;
  bool has_collectives_;  // a plugin reports collectives, also by `sbatch --nccl-watch`
  std::string on_hang_, on_straggler_;
  std::unique_ptr<const re2::RE2> step_;  // null: the output reports no steps
  LogWatch log_;
  OutputLines lines_;
  std::optional<WatchJudge> judge_;
  NodeClocks clocks_;
  double began_ = 0;  // the attempt, as of now()
  bool told_blind_ = false, told_unread_ = false;
  UnreadLines unread_;
  int64_t tasks_per_node_ = 1;
  std::vector<std::string> nodes_;
  std::chrono::steady_clock::time_point progressed_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace slipway::job
