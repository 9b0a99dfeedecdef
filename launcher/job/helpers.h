// Helper jobs: Slurm jobs of one node each, whose agents join a running job that has lost nodes.
//
// Slurm itself decides who gets a node, and when: a repaired one or another one.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launcher/job/async_writer.h"
#include "launcher/job/rendezvous.h"
#include "launcher/job/requeue.h"

namespace slipway::job {

struct HelperWish {
  std::string job;                   // that is helped
  Variables variables;               // of the agent: agent_settings.h
  std::vector<std::string> command;  // that starts it: agent_command()
  std::string output;                // a file for what the agent and Slurm have to say
};

// A job's helper jobs as its launcher wants them. Talks to Slurm; tests use a fake.
class HelperJobs {
 public:
  using Clock = std::chrono::steady_clock;

  HelperJobs(HelperWish wish, SlurmPrograms& slurm) : wish_(std::move(wish)), slurm_(slurm) {}

  // Submits and cancels jobs so that `wanted` nodes may still come, none of them in `without`;
  // `joined` have come already. Returns lines for the user.
  std::vector<std::string> tend(size_t wanted, const std::set<std::string>& joined,
                                const std::set<std::string>& without, Clock::time_point now);
  // Cancels all that wait; `follows`: also those of an earlier launcher of this job.
  void end(bool follows = false);

  size_t size() const { return jobs_.size(); }

 private:
  struct Helper {
    bool runs = false;
    std::string node;  // empty while it waits
    bool has_joined = false;
  };

  // False if Slurm does not answer.
  bool read_states(const std::set<std::string>& joined, std::vector<std::string>& news,
                   Clock::time_point now);
  void fail(const std::string& why, std::vector<std::string>& news, Clock::time_point now);
  std::optional<std::string> submit(const std::set<std::string>& without, std::string& why);

  const HelperWish wish_;
  SlurmPrograms& slurm_;
  std::map<std::string, Helper> jobs_;  // by their numbers
  int failures_ = 0;                    // in a row
  Clock::time_point next_try_ = {};
};

// The same on a thread of its own, since Slurm may not answer for long.
class Helpers {
 public:
  explicit Helpers(HelperWish wish) : jobs_(std::move(wish), slurm_) {}

  // Never waits.
  void tend(size_t wanted, const std::set<std::string>& joined,
            const std::set<std::string>& without);
  std::vector<std::string> news();  // since the last call
  void end(bool follows = false);

 private:
  RealSlurmPrograms slurm_;
  HelperJobs jobs_;  // used on the thread
  std::mutex mutex_;
  std::vector<std::string> news_;
  bool busy_ = false;
  std::chrono::steady_clock::time_point last_ = {};
  AsyncWriter thread_;  // last: ends first
};

}  // namespace slipway::job
