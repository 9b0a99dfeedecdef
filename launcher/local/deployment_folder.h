// The files of a local deployment, and whether the deployment runs.
//
//   <deployments>/../locks/<name>   held by the command that changes it (deployment_lock.h)
//   <deployments>/<name>/   accessible to its owner only
//     lock              held by the supervisor (flock) as long as it runs
//     control           the supervisor's socket
//     deployment.json   what was deployed (schema slipway/local/1)
//     plan.json         the plan in force (plan_json.h), from the end of the first deploy to the
//                       start of destroy
//     change.json       exists while a change is in progress (journal.h)
//     slurm/            /etc/slurm of every node
//     shared/<id>/      the shared file systems
//     state/            slurmctld's state, which outlives the controller
//     database/         slurmdbd's database, with accounting
//     before/           a copy of both while the controller's image changes (kept_state.h)
//     log/<node>/       /var/log/slurm of each node; log/supervisor.log
//     gpus/<node>/      the state of its simulated GPUs
//     health/<node>/    what it remembers of its health, as on a disk; not of on-demand nodes
//     run/              mount point of the nodes' roots; empty outside the supervisor
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/fd.h"

namespace slipway::local {

enum class RunState {
  absent,   // no such deployment
  running,  // its supervisor runs
  dead,     // the folder exists but the supervisor does not: killed, or the host was restarted
};

class DeploymentFolder {
 public:
  // Throws Error if `name` is not a valid name for a deployment.
  DeploymentFolder(std::filesystem::path deployments, std::string name);

  const std::string& name() const { return name_; }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path control_socket() const { return path_ / "control"; }
  std::filesystem::path description() const { return path_ / "deployment.json"; }
  std::filesystem::path plan() const { return path_ / "plan.json"; }
  std::filesystem::path journal() const { return path_ / "change.json"; }
  std::filesystem::path slurm() const { return path_ / "slurm"; }
  std::filesystem::path shared(const std::string& id) const { return path_ / "shared" / id; }
  std::filesystem::path state() const { return path_ / "state"; }
  std::filesystem::path database() const { return path_ / "database"; }
  std::filesystem::path kept_state() const { return path_ / "before"; }
  std::filesystem::path logs() const { return path_ / "log"; }
  std::filesystem::path log(const std::string& node) const { return path_ / "log" / node; }
  std::filesystem::path supervisor_log() const { return path_ / "log" / "supervisor.log"; }
  std::filesystem::path run() const { return path_ / "run"; }
  std::filesystem::path gpus() const { return path_ / "gpus"; }
  std::filesystem::path health() const { return path_ / "health"; }

  RunState run_state() const;

  // run_state(), or throws Error with advice if the deployment is absent.
  RunState require_present() const;

  // Whether the file system that holds the folder is full.
  bool is_full() const;

  // Makes the folder and takes its lock. Returns an empty Fd if the folder already exists. Throws
  // Error with the path if it cannot be made.
  Fd create() const;

  // Takes the lock of an existing, dead deployment's folder. Throws Error if it cannot.
  Fd take_over() const;

 private:
  std::string name_;
  std::filesystem::path path_;
};

// The folder of the calling user's deployments: /var/lib/slipway/deployments for root, otherwise
// slipway/deployments below $XDG_STATE_HOME or ~/.local/state.
std::filesystem::path deployments_folder();

// All deployments of the calling user, sorted by name.
std::vector<DeploymentFolder> all_deployments();

}  // namespace slipway::local
