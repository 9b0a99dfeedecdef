// Ends a job whose prolog found its node unfit, if Slurm would handle that badly.
//
// In Slurm, the prolog fails, and slurmd then has the job requeued. If the job cannot be requeued,
// because it has no batch script or because of --no-requeue, Slurm kills it. Here slurmd 22.05 to
// 24.11 has a bug if several nodes of a job fail: all but the first learn that the job has already
// ended, take that for an error, and retry every 15 s until slurmctld forgets the job (MinJobAge,
// 300 s). Each time they register with a failed prolog, and slurmctld drains the node, even if it
// has long been healthy and back in service: _rpc_prolog and _launch_job_fail of
// https://github.com/SchedMD/slurm/blob/slurm-22-05-8-1/src/slurmd/slurmd/req.c
// So we end such a job ourselves, and let its prolog succeed.
#pragma once

#include <chrono>
#include <string>

#include "common/process.h"

namespace slipway::health {

// Runs Slurm's programs for one job. Tests use a fake.
class JobOfSlurm {
 public:
  virtual ~JobOfSlurm() = default;
  virtual ProcessResult run(const std::vector<std::string>& argv) = 0;
  virtual void wait(std::chrono::milliseconds time) = 0;
};

class RealJobOfSlurm : public JobOfSlurm {
 public:
  explicit RealJobOfSlurm(std::chrono::steady_clock::time_point end) : end_(end) {}
  ProcessResult run(const std::vector<std::string>& argv) override;
  void wait(std::chrono::milliseconds time) override;

 private:
  std::chrono::steady_clock::time_point end_;
};

// True if the job has ended or ends now: its prolog may succeed. False if its prolog should fail:
// Slurm requeues the job, or does not answer.
// srun and salloc receive messages only while their job is alive, and all of its nodes are checked
// at the same time. So the first unfit node sends its reason, and ends the job a second later.
bool end_job_of_prolog(const std::string& job, const std::string& node, const std::string& reason,
                       JobOfSlurm& slurm);

}  // namespace slipway::health
