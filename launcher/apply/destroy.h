// Destroys what a deployment folder deployed.
#pragma once

#include <functional>

#include "launcher/apply/deploy.h"
#include "launcher/apply/slurm_clusters.h"

namespace slipway::apply {

// The machines that Slurm made, which Terraform does not know.
struct MadeMachines {
  // Their names. Throws Error.
  std::function<std::vector<std::string>(const SlurmCluster&)> find;
  // Deletes the controllers, which could make more, then all machines and what belongs to them.
  // Throws Error if something is left. `say` receives a line for each step.
  std::function<void(const SlurmCluster&, const std::function<void(const std::string&)>& say)>
      remove;
};

struct DestroyOptions {
  Selection selection;
  bool auto_approve = false;
  bool images = false;              // also remove images built by Packer
  MadeMachines made_machines = {};  // empty functions: do not look for them
};

// Destroys the groups in reverse order. The caller must hold the folder's lock. Throws Error; the
// next call resumes.
void destroy(Session& session, const DestroyOptions& options);

}  // namespace slipway::apply
