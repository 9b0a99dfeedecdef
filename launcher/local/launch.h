// Brings a local deployment up, and takes it down.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "launcher/cluster/slurm_releases.h"
#include "launcher/local/deployment_folder.h"
#include "launcher/local/deployment_lock.h"
#include "launcher/local/plan.h"

namespace slipway::local {

// Throws Error in a chroot(2), and if this machine lacks programs; the message names all of them
// and the command that installs them. What the controller does besides running Slurm may need more.
void require_programs(const cluster::Controller& controller, const std::string& image);

// What to tell the user if jobs will have no containers although the blueprint's `containers` wants
// them: nothing if they will.
std::string note_on_containers(const std::string& containers, const std::string& image);

// Throws Error if nodes cannot start on demand: Slurm must see that they have just booted.
void require_elastic_nodes();

struct LaunchOptions {
  std::chrono::seconds deadline{60};  // for the next node to be up or idle, and for each other step
  std::function<void(const std::string& line)> progress;  // called with a line for each step
  // Called with what is going on, such as "3 of 6 nodes are up", instead of a line for each node;
  // without it, `progress` has those.
  std::function<void(const std::string& line)> status = {};
  bool force = false;  // also stop nodes that run jobs when changing a running deployment
  // For another image of a running deployment (image_change.h): compute nodes in a block (0: a
  // tenth of them), and which Slurm can follow which.
  size_t at_once = 0;
  cluster::SlurmReleases releases = {};
};

struct Launched {
  bool was_there = false;  // the deployment already exists; nothing was changed
  size_t nodes = 0;        // compute nodes that were started and are idle
  double seconds = 0;      // from the call until the last node was idle
  bool changed = false;    // it existed, and now matches the plan
};

// Brings the plan up in `folder`, whose lock the caller holds, and waits until every compute node
// is idle. If anything fails, or the caller is interrupted (SIGINT, SIGTERM), removes everything
// again and throws Error. If the caller is killed, its processes end with it, and settle()
// (redeploy.h), which must be called first, removes the files the next time. A deployment that
// already runs is changed instead. One whose supervisor is gone is restarted with its files, which
// are kept even if that fails.
Launched launch(const Plan& plan, const DeploymentFolder& folder, const LaunchOptions& options,
                const DeploymentLock& lock);

// Writes the files that nodes read to the deployment's folder, and removes those of `before` that
// `after` does not have.
void write_folder(const Plan& plan, const DeploymentFolder& folder);
void remove_slurm_files(const Plan& before, const Plan& after, const DeploymentFolder& folder);

// Ends the deployment's processes and removes its folder, including shared file systems. Waits
// until the kernel has released everything. The caller holds the lock. Throws Error if the
// deployment does not exist.
void remove(const DeploymentFolder& folder);

// Kills the supervisor, and with it every process of the deployment; waits until they are gone.
void end_supervisor(const DeploymentFolder& folder);

}  // namespace slipway::local
