// Where a local deployment lives on disk, and whether it lives.
//
//   <deployments>/../locks/<name>   held by the command that changes it (deployment_lock.h)
//   <deployments>/<name>/   its owner's alone
//     lock              held by the supervisor (flock) for as long as it runs
//     control           its socket
//     deployment.json   what was deployed (schema slipway/local/1)
//     plan.json         the plan in force (plan_json.h), from the end of the first deploy to the
//                       beginning of destroy
//     change.json       there while a change is under way (journal.h)
//     slurm/            /etc/slurm of every node
//     shared/<id>/      the shared file systems
//     state/            of slurmctld: outlives the controller
//     database/         of slurmdbd, with accounting
//     log/<node>/       /var/log/slurm of each node; log/supervisor.log
//     gpus/<node>/      the state of its simulated GPUs
//     run/              mount point of the nodes' roots; empty outside the supervisor
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/fd.h"

namespace slipway::local {

enum class Life {
  absent,   // no such deployment
  running,  // its supervisor runs
  dead,     // the folder is there, the supervisor is not: killed, or the host was restarted
};

class DeploymentFolder {
 public:
  // Throws Error when `name` could not be the name of a folder of ours.
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
  std::filesystem::path logs() const { return path_ / "log"; }
  std::filesystem::path log(const std::string& node) const { return path_ / "log" / node; }
  std::filesystem::path supervisor_log() const { return path_ / "log" / "supervisor.log"; }
  std::filesystem::path run() const { return path_ / "run"; }
  std::filesystem::path gpus() const { return path_ / "gpus"; }

  Life life() const;

  // life(), for whoever needs the deployment: throws Error that says what to do when there is none.
  Life life_if_present() const;

  // Whether nothing more can be written to the file system that it is on.
  bool is_full() const;

  // Makes the folder and takes its lock. An empty Fd when the folder is there already.
  // Throws Error with the path when it cannot be made.
  Fd create() const;

  // Takes the lock of a folder that is there and dead. Throws Error when it cannot be had.
  Fd take_over() const;

 private:
  std::string name_;
  std::filesystem::path path_;
};

// The folder of all deployments of the calling user: /var/lib/slipway/deployments for root,
// otherwise slipway/deployments below $XDG_STATE_HOME or ~/.local/state.
std::filesystem::path deployments_folder();

// Every deployment of the calling user, by name.
std::vector<DeploymentFolder> all_deployments();

}  // namespace slipway::local
