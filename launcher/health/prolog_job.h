// The job whose prolog has found its node unfit: how it leaves the node.
//
// Slurm's own way is a prolog that fails: slurmd then asks for the job to be queued again. A job
// that cannot be, because it has no batch script or its user said --no-requeue, is killed instead,
// and that is where slurmd 22.05 to 24.11 goes wrong when several nodes of a job fail: all but the
// first hear that the job has already ended, take that for an error, and repeat it every 15 s until
// slurmctld forgets the job (MinJobAge, 300 s). Each time they register with a failed prolog, and
// slurmctld drains the node, also when it is long healthy and back in service:
// _rpc_prolog and _launch_job_fail of
// https://github.com/SchedMD/slurm/blob/slurm-22-05-8-1/src/slurmd/slurmd/req.c
// So we end such a job ourselves, and its prolog succeeds.
#pragma once

#include <chrono>
#include <string>

#include "common/process.h"

namespace slipway::health {

// Slurm's own programs, for one job. Tests have another.
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

// True when the job has ended, or ends now: its prolog may succeed. False when its prolog is to
// fail: Slurm queues the job again, or does not answer.
// srun and salloc hear of a node only while their job is alive, and all of its nodes are checked at
// the same time: so the first unfit one tells its reason, and ends the job a second later.
bool end_job_of_prolog(const std::string& job, const std::string& node, const std::string& reason,
                       JobOfSlurm& slurm);

}  // namespace slipway::health
