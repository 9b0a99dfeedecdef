// The Slurm step in which the agents run: one srun for the whole job.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "launcher/job/launch.h"
#include "launcher/job/rendezvous.h"

namespace slipway::job {

// Removes from the environment, and returns, the variables that srun would read as options for the
// agents' step. Tasks get them back unchanged.
Variables take_step_options();

// srun's command for an agent on each of `nodes`; empty: on all nodes of the job.
std::vector<std::string> agent_command(const std::vector<std::string>& nodes,
                                       const std::vector<std::string>& options);

class AgentStep {
 public:
  // Starts srun on `nodes`, with `variables` for the agents. Throws Error if it cannot fork.
  AgentStep(const std::vector<std::string>& nodes, const Variables& variables,
            const std::vector<std::string>& options);
  // The step that holds a container on each node, whose options `container` has, for agents that
  // have started with `folder`: container_place.h.
  AgentStep(const std::vector<std::string>& nodes, const LaunchContainer& container,
            const std::vector<std::string>& options, const std::filesystem::path& folder);
  // Ends srun if it has not ended by itself.
  ~AgentStep();
  AgentStep(const AgentStep&) = delete;
  AgentStep& operator=(const AgentStep&) = delete;

  bool runs();

  // Pauses (or resumes) srun while it is unclear whether this run of the job is over.
  void hold(bool stops);
  // Kills srun so that it sends nothing to Slurm. When the job runs again, its step gets the same
  // number as ours, and an srun that ends normally would cancel that step.
  void abandon();

 private:
  void start(std::vector<std::string> words, const Variables& variables, bool for_container);

  pid_t pid_ = 0;
};

}  // namespace slipway::job
