// The step of Slurm in which the agents run: one srun for the whole job.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "launcher/job/rendezvous.h"

namespace slipway::job {

// What srun takes from its environment as its own options, and would start the agents by. Tasks get
// it as it was.
Variables take_step_options();

class AgentStep {
 public:
  // Starts srun on `nodes`, with `variables` for the agents. Throws Error when there is no srun.
  AgentStep(const std::vector<std::string>& nodes, const Variables& variables,
            const std::vector<std::string>& options);
  // Ends it, if it has not ended by itself.
  ~AgentStep();
  AgentStep(const AgentStep&) = delete;
  AgentStep& operator=(const AgentStep&) = delete;

  bool runs();

  // Stops srun, and lets it go on: while nobody knows whether this run of the job is over.
  void hold(bool stops);
  // Ends srun so that it has nothing to say to Slurm. When the job runs again, its step has the
  // same number as ours had, and an srun that is told to end would cancel that one.
  void abandon();

 private:
  pid_t pid_ = 0;
};

}  // namespace slipway::job
