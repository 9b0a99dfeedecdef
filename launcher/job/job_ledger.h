// Writes a job's ledger while the job runs, and continues what earlier launchers of the job wrote.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launcher/job/async_writer.h"
#include "launcher/job/blame.h"
#include "launcher/job/choose_nodes.h"
#include "launcher/job/energy_tally.h"
#include "launcher/job/job_state.h"
#include "launcher/job/ledger.h"
#include "launcher/job/watch_judge.h"

namespace slipway::job {

int64_t now_ms();  // since 1970, UTC

struct StepAt {
  int64_t step = -1;    // -1: no step was reported
  int64_t time_ms = 0;  // when it was reported
};

class JobLedger {
 public:
  // `follows`: a frozen launcher of an earlier run of the job may still hold the ledger's lock.
  // Throws Error if the ledger cannot be written or belongs to another job. A full disk, now or
  // later, is reported once on stderr, and the job continues.
  JobLedger(const std::filesystem::path& path, std::string job, AsyncWriter& async, bool follows);

  ~JobLedger() { async_.drain(); }
  JobLedger(const JobLedger&) = delete;
  JobLedger& operator=(const JobLedger&) = delete;

  // By this launcher or an earlier one.
  bool is_blamed(const std::string& node) const { return blamed_.contains(node); }
  int64_t next_attempt() const { return attempts_ + 1; }
  size_t last_nodes() const { return last_nodes_; }  // of the last attempt; 0 before the first
  // Whether a step is further than the job got before the current attempt.
  bool is_new_best(int64_t step) const { return step > best_before_; }
  JobState state() const { return follower_.state(); }

  void begin(const std::vector<std::string>& command);
  void start(int64_t attempt, const NodeChoice& choice);
  // Writes `first`, where an attempt resumed, then at most one entry a second.
  void progress(int64_t attempt, const StepAt& first, const StepAt& now);
  // Writes an attempt's last step, whenever the previous entry was written.
  void last_progress(int64_t attempt, const StepAt& last);
  void failure(int64_t attempt, const Verdict& verdict, int64_t time_ms);
  void finding(int64_t attempt, const WatchFinding& finding);
  // What the attempt starts from: `step` in memory, or if that is -1, what is on disk. `why` says
  // more.
  void restore(int64_t attempt, int64_t step, const char* from, const std::string& why);
  // The attempt ends, so that the next one has these nodes, too; the program has saved this step.
  void grow(int64_t attempt, const std::vector<std::string>& nodes, int64_t step);
  void energy(const AttemptEnergy& energy);
  // After this, only energy and an end with another result are written: when Slurm ends a job, its
  // tasks run on for some seconds.
  void end(const std::string& result, int status);

 private:
  void say_once(const std::string& what);
  void put(Entry entry);
  Entry entry_of(Event event, int64_t attempt) const;

  std::string job_;
  AsyncWriter& async_;
  std::optional<LedgerWriter> writer_;  // empty: there was no room for the file
  bool has_failed_ = false;             // used on the writer's thread
  std::string result_;                  // of end(); empty before it
  JobStateFollower follower_;
  std::set<std::string> blamed_;
  int64_t attempts_ = 0;
  size_t last_nodes_ = 0;
  int64_t best_ = -1, best_before_ = -1;
  int64_t written_ = -1;  // step
  std::chrono::steady_clock::time_point written_at_ = {};
};

}  // namespace slipway::job
