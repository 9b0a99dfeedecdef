// Slurm of a local cluster, as a change needs it: Slurm's commands, run on the controller.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/interrupts.h"
#include "launcher/local/deployment_folder.h"
#include "launcher/local/wait_for_nodes.h"

namespace slipway::local {

class SlurmControl {
 public:
  struct State {
    std::string name;    // "idle", "drained*"
    std::string reason;  // of a node that is out of service
    bool is_out_of_service() const;
  };

  // All functions throw Error: when a command fails, at the deadline, or "interrupted".
  SlurmControl(const DeploymentFolder& folder, std::string controller, const Deadline& deadline,
               const Interrupts* interrupts)
      : folder_(folder),
        controller_(std::move(controller)),
        deadline_(deadline),
        interrupts_(interrupts) {}

  // The nodes that slurmctld knows: those of the configuration that it has read.
  std::map<std::string, State> nodes() const;

  // Gives nodes no more jobs: `state` is "drain", or "down" also for jobs that run there.
  void hold(const std::vector<std::string>& nodes, const char* state) const;

  // Undoes hold() for nodes that nobody else has drained since.
  void resume(const std::vector<std::string>& nodes) const;

  // Jobs that slurmctld takes for running on these nodes are queued again, or have failed: resume()
  // has the nodes serve again.
  void end_lost_jobs(const std::vector<std::string>& nodes) const;

  // Has Slurm take nodes on demand that are off for what they are, whatever it remembers.
  void put_off(const std::vector<std::string>& nodes) const;

  // Throws Error with the jobs when some run on these nodes; waits for epilogs.
  void refuse_jobs(const std::vector<std::string>& nodes) const;

  // Restarts slurmctld, or has it and the slurmds only read their files again.
  void restart() const;
  void reread() const;

  // Ends slurmctld and waits until it has written its state, before its node is stopped: otherwise
  // the last seconds would be lost, such as jobs that have just begun.
  void end() const;

 private:
  std::string run(std::vector<std::string> argv) const;
  std::vector<std::string> still_held(const std::vector<std::string>& held) const;
  std::string jobs_on(const std::vector<std::string>& nodes, const char* states) const;
  void wait_for_epilogs(const std::vector<std::string>& nodes) const;

  const DeploymentFolder& folder_;
  const std::string controller_;
  const Deadline& deadline_;
  const Interrupts* interrupts_;
};

}  // namespace slipway::local
