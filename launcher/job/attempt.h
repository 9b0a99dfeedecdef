// One attempt of a job, as its launcher hears of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "launcher/job/agents.h"
#include "launcher/job/blame.h"
#include "launcher/job/pmix_exchange.h"
#include "launcher/job/rendezvous.h"

namespace slipway::job {

class Attempt {
 public:
  using Clock = std::chrono::steady_clock;

  Attempt(int64_t number, World world, const std::string& launcher_node);

  int64_t number() const { return number_; }
  const World& world() const { return world_; }
  // What the agent of a node is told, to start its tasks. `taken` are variables that the agents'
  // step has taken from the tasks.
  Message start_message(size_t node, const std::vector<std::string>& command,
                        const Variables& taken) const;

  void hear(const AgentEvent& event);
  // The same for what PMIx servers say to one another: returns what agents are to be sent.
  std::vector<AgentEvent> hear_pmix(const AgentEvent& event);
  std::string pmix_news() { return pmix_.news(); }
  // The program as a whole has reached a step.
  void reached(int64_t step);
  void stalled(std::chrono::seconds after) { evidence_.stalled_seconds = after.count(); }

  bool all_ended() const;    // with or without an error
  bool has_failed() const;   // a task has ended with an error, a node is gone or unfit, no progress
  bool all_stopped() const;  // every node has said what it knows, or has gone
  int64_t step() const { return step_; }  // the highest that was reached; -1: none reported
  Clock::time_point last_progress() const { return last_progress_; }
  std::chrono::milliseconds age() const;

  Evidence evidence() const;
  int status() const;  // as a shell has it: of the first that ended with an error

 private:
  void hear_steps(const std::string& node, const Message& steps);
  void hear_end(const std::string& node, const Message& message);
  void hear_stopped(const std::string& node, const Message& message);
  void hear_health(const std::string& node, const Message& reasons);

  int64_t number_;
  World world_;
  PmixExchange pmix_;
  Evidence evidence_;
  std::set<int64_t> ended_;           // ranks
  std::set<std::string> stopped_;     // nodes, also those that are gone
  std::map<int64_t, int64_t> steps_;  // of ranks
  int64_t step_ = -1;
  Clock::time_point begin_ = Clock::now(), last_progress_ = begin_;
};

}  // namespace slipway::job
