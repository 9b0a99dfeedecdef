// Requeues a job without some of its nodes or, if it could then never start again, ends it with the
// reason.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/process.h"

namespace slipway::job {

// Runs Slurm's programs. Tests use a fake.
class SlurmPrograms {
 public:
  virtual ~SlurmPrograms() = default;
  virtual ProcessResult run(const std::vector<std::string>& argv, const std::string& input) = 0;
  virtual void pause(std::chrono::milliseconds time) = 0;
};

class RealSlurmPrograms : public SlurmPrograms {
 public:
  ProcessResult run(const std::vector<std::string>& argv, const std::string& input) override;
  void pause(std::chrono::milliseconds time) override;
};

// From now on, this process and its children ignore the signals that Slurm sends when a step ends:
// after the job is requeued, there is still work to do on it.
void ignore_end_of_step();

// "env -i PATH=…", to put before a Slurm command, which would otherwise read options from the
// job's environment.
std::vector<std::string> without_environment();

// One run of a job. Slurm counts requeues, so a run is never mistaken for a later one.
struct JobRun {
  std::string job;
  int64_t restarts = 0;
};

// A "Key=value" of `scontrol show job --oneliner`; empty if the key or its value is missing.
std::string job_field(std::string_view record, std::string_view key);

// The sbatch command line in such a record, with whatever follows it; empty if this Slurm is too
// old for that field.
std::string submit_line_of(std::string_view record);

// Whether Slurm still runs this run of the job: false if the job has ended, is pending, or runs
// again. Throws Error if Slurm does not answer.
bool is_current(const JobRun& run, SlurmPrograms& slurm);

enum class RequeueOutcome {
  requeued,  // and can start without the bad nodes
  ended,     // it could not start: `text` says why, as do the job's comment and output
  another,   // this run of the job was already over
};
struct RequeueResult {
  RequeueOutcome what = RequeueOutcome::another;
  std::string text;
};

// Requeues a job without the `bad` nodes, with `reason` as its comment. Call it from a step that
// ignores its end: requeueing kills the batch script and everything that it started. Throws Error,
// having changed nothing, if Slurm does not answer.
RequeueResult requeue_job(const JobRun& run, const std::vector<std::string>& bad,
                          const std::string& reason, SlurmPrograms& slurm);

// Returns once Slurm no longer waits for any of `nodes`, the bad nodes of a requeued job. Until
// then this step stays alive, so its node has not completed the job when a dead node is set down:
// Slurm before 23.02.2 fails to clean up a job whose last node is dead, and loses the GPUs of its
// next run. Slurm kills the step if that takes longer than KillWait. With newer Slurm, returns at
// once: staying has no benefit there, and steps that do not end by themselves are a risk.
void stay_until_free(const std::vector<std::string>& nodes, SlurmPrograms& slurm);

}  // namespace slipway::job
