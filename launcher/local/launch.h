// Bringing a local deployment up and taking it down.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "launcher/local/deployment_folder.h"
#include "launcher/local/deployment_lock.h"
#include "launcher/local/plan.h"

namespace slipway::local {

// Throws Error in a chroot(2), and when programs are missing on this machine; then it names them
// all, with the command that installs them. `accounting` adds those of a controller with job
// accounting.
void require_programs(bool accounting, const std::string& image);

// Throws Error where nodes cannot start on demand: Slurm wants to see that they have just started.
void require_elastic_nodes();

struct LaunchOptions {
  std::chrono::seconds deadline{60};                      // for all nodes to be idle
  std::function<void(const std::string& line)> progress;  // called with a line for each step
  bool force = false;  // stop nodes of a deployment that runs also when jobs run on them
};

struct Launched {
  bool was_there = false;  // a deployment of this name stands already; nothing was changed
  size_t nodes = 0;        // compute nodes that were started, and are idle
  double seconds = 0;      // from the call to the last node idle
  bool changed = false;    // it stood already, and has become what the plan says
};

// Brings the plan up in `folder`, whose lock the caller holds, and waits until every compute node
// is idle. When anything fails, or the caller is interrupted (SIGINT, SIGTERM), everything is
// removed again and Error is thrown. When the caller is killed, its processes end with it, and
// settle() (redeploy.h), which must be called first, removes the files the next time. A deployment
// that stands is changed instead. One whose supervisor is gone is started again with its files,
// which also stay when that fails.
Launched launch(const Plan& plan, const DeploymentFolder& folder, const LaunchOptions& options,
                const DeploymentLock& lock);

// Writes the files that nodes read to the deployment's folder, and removes those of `before` that
// `after` does not have.
void write_folder(const Plan& plan, const DeploymentFolder& folder);
void remove_slurm_files(const Plan& before, const Plan& after, const DeploymentFolder& folder);

// Ends the deployment's processes and removes its folder, shared file systems included. Waits until
// the kernel has let go of everything. The caller holds the lock. Throws Error when there is no
// such deployment.
void remove(const DeploymentFolder& folder);

// Kills the supervisor, and with it everything of the deployment that runs; waits for the end.
void end_supervisor(const DeploymentFolder& folder);

}  // namespace slipway::local
