// Giving a job back to Slurm: it is queued again without some of its nodes, or ended with the
// reason where it could not start again.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/process.h"

namespace slipway::job {

// Slurm's own programs. Tests have others.
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

// From now on this process and what it starts ignore what Slurm sends to a step that ends: when the
// job has been queued again, there is still something to be said about it.
void ignore_end_of_step();

// Before a program of Slurm's: "env -i PATH=…". It would take what the job has in its environment
// for options.
std::vector<std::string> without_environment();

// A run of a job. Slurm counts how often it has queued the job again, and so a run is never taken
// for one that came later.
struct JobRun {
  std::string job;
  int64_t restarts = 0;
};

// "… Key=value …" of `scontrol show job --oneliner`; empty when there is no such key, or no value.
std::string job_field(std::string_view record, std::string_view key);

// The command line of sbatch in such a record, and what follows it there; empty when the Slurm is
// older than that field.
std::string submit_line_of(std::string_view record);

// Whether Slurm still has this run of the job: false when the job has ended, waits, or runs again.
// Throws Error when Slurm does not say.
bool is_current(const JobRun& run, SlurmPrograms& slurm);

enum class GivenBack {
  queued,   // and it can start without the bad nodes
  ended,    // it could not: `text` says why, as do the job's comment and its output
  another,  // this run of the job was over before
};
struct JobReturn {
  GivenBack what = GivenBack::another;
  std::string text;
};

// Has Slurm queue a job again without `bad` nodes, with `reason` as its comment. To be called from
// a step that ignores its end: the batch script and all that it has started are gone as soon as the
// job is queued. Throws Error, and has done nothing, when Slurm does not answer.
JobReturn give_back(const JobRun& run, const std::vector<std::string>& bad,
                    const std::string& reason, SlurmPrograms& slurm);

// Returns when Slurm waits for none of `nodes` any more, the bad nodes of a job that was given
// back. Until then this step does not end, and so its node has not completed the job when a dead
// one is set down: Slurm before 23.02.2 forgets to clean up a job of which a dead node is the last,
// and loses the GPUs of its next run. Slurm ends us when that takes longer than KillWait. Returns
// at once with a newer Slurm: there it is no use, and steps that do not end by themselves are a
// risk.
void stay_until_free(const std::vector<std::string>& nodes, SlurmPrograms& slurm);

}  // namespace slipway::job
