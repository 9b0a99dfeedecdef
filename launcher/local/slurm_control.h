// Slurm operations that a change of a local cluster needs, run as Slurm commands on the controller.
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

  // Every function throws Error: if a command fails, at the deadline, or "interrupted".
  SlurmControl(const DeploymentFolder& folder, std::string controller, const Deadline& deadline,
               const Interrupts* interrupts)
      : folder_(folder),
        controller_(std::move(controller)),
        deadline_(deadline),
        interrupts_(interrupts) {}

  // The nodes in the configuration that slurmctld has read.
  std::map<std::string, State> nodes() const;

  // Keeps new jobs off nodes: `state` is "drain", or "down" to end running jobs too.
  void hold(const std::vector<std::string>& nodes, const char* state) const;

  // Undoes hold() for nodes that nobody else has drained since.
  void resume(const std::vector<std::string>& nodes) const;

  // Makes slurmctld requeue or fail the jobs that it believes run on these nodes; resume() then
  // returns the nodes to service.
  void end_lost_jobs(const std::vector<std::string>& nodes) const;

  // Tells Slurm that on-demand nodes that are off are off, whatever it remembers.
  void mark_powered_off(const std::vector<std::string>& nodes) const;

  // Waits for epilogs, then throws Error with the jobs if any run on these nodes.
  void refuse_jobs(const std::vector<std::string>& nodes) const;

  // The jobs on these nodes, also those whose epilog still runs: "job 7 (train) on n-0, job 8 …".
  // Empty if there are none.
  std::string jobs(const std::vector<std::string>& nodes) const;

  // restart() restarts slurmctld; reread() only makes it and the slurmds reread their files.
  void restart() const;
  void reread() const;

  // Ends slurmctld and waits until it has written its state. Call it before stopping its node, or
  // the last seconds are lost, such as jobs that have just begun.
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
