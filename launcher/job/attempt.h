// One attempt of a job, as seen by the launcher.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/error.h"
#include "launcher/job/agents.h"
#include "launcher/job/blame.h"
#include "launcher/job/frameworks.h"
#include "launcher/job/job_ledger.h"
#include "launcher/job/pmix_exchange.h"
#include "launcher/job/rendezvous.h"

namespace slipway::job {

// A message that contradicts the attempt, such as a rank that runs on another node.
class InvalidMessage : public Error {
 public:
  using Error::Error;
};

class Attempt {
 public:
  using Clock = std::chrono::steady_clock;

  Attempt(int64_t number, World world, const std::string& launcher_node);

  int64_t number() const { return number_; }
  const World& world() const { return world_; }
  // Ports of the first node, before any task starts.
  void use(const Ports& ports);
  // The message that starts a node's tasks. `taken` are variables from take_step_options().
  // A large job has many nodes: this is what all of them get, and address() adds the rest.
  Start start_message(const std::vector<std::string>& command, const TaskVariables& variables,
                      const Variables& taken, std::chrono::milliseconds watch_every) const;
  void address(Start& start, size_t node, const TaskVariables& variables) const;

  // Throws InvalidMessage if a rank is not on the node.
  void handle(const AgentEvent& event);
  // The same for messages between PMIx servers: returns the messages to pass on to agents.
  std::vector<PmixDelivery> handle_pmix(const std::string& node, const PmixNews& news);
  std::string pmix_news() { return pmix_.news(); }
  // The program as a whole reached a step.
  void reached(int64_t step);
  // Ends the attempt for something that was seen from outside.
  void watched(const WatchFinding& finding, bool blames) {
    evidence_.watched = finding;
    evidence_.watched_blames = blames;
  }
  // The launcher ends it although nothing failed. From now on, no end of a task is a failure.
  void plan_end() { is_planned_ = true; }
  bool is_planned() const { return is_planned_; }
  void stalled(std::chrono::seconds after, const std::string& ras) {
    evidence_.stalled_seconds = after.count();
    evidence_.ras = ras;
  }

  bool all_ended() const;   // with or without an error
  bool has_failed() const;  // a task failed, a node is gone or unfit, or no progress
  // Whether other failures may soon explain the first one. A program error reaches many ranks, but
  // not at the same instant.
  static constexpr auto quiet = std::chrono::milliseconds(1000);  // since the last failure
  static constexpr auto quiet_after_kill = std::chrono::milliseconds(250);
  static constexpr auto longest_wait = std::chrono::milliseconds(2500);
  bool may_tell_more() const;
  bool all_stopped() const;  // every node has sent its Stopped, or is gone
  // The first step that was reported, and the highest.
  const StepAt& first_step() const { return first_step_; }
  const StepAt& step() const { return step_; }
  // The newest step that the program reported as saved for any number of ranks; 0: none.
  int64_t saved() const { return saved_; }
  Clock::time_point last_progress() const { return last_progress_; }
  std::chrono::milliseconds age() const;

  Evidence evidence() const;
  int status() const;  // like a shell's: of the first task that failed

 private:
  void handle_steps(size_t node, const Beat& beat);
  void handle_end(size_t node, const Ended& end);
  void handle_stopped(size_t node, const Stopped& stopped);
  void handle_health(const std::string& node, const std::vector<std::string>& reasons);
  void check_rank(size_t node, int64_t rank) const;

  int64_t number_;
  World world_;
  std::unordered_map<std::string, size_t> index_of_;  // of nodes
  PmixExchange pmix_;
  Evidence evidence_;
  std::set<int64_t> ended_;           // ranks
  std::set<std::string> stopped_;     // nodes, also those that are gone
  std::map<int64_t, int64_t> steps_;  // of ranks
  StepAt first_step_, step_;
  int64_t saved_ = 0;
  bool is_planned_ = false;
  Clock::time_point begin_ = Clock::now(), last_progress_ = begin_;
  Clock::time_point first_end_ = {}, last_end_ = {};  // with an error
};

}  // namespace slipway::job
