// The lines of plugstack.conf: which SPANK plugins a cluster's jobs have, and in which order.
#pragma once

#include <string>

#include "launcher/cluster/model.h"
#include "launcher/cluster/slurm_site.h"

namespace slipway::cluster {

// The file without its head. What provides --container-image comes first: a plugin above nccl_env
// has applied the image's environment when nccl_env sets its own variables in a task, so these win.
//
// No line may keep Slurm from working on a machine that lacks a plugin: Slurm then refuses every
// job, and slurmd does not start. So our plugins are `optional`, and lines of plugins that older
// images do not have are in files that are installed with them.
std::string plugstack_lines(const Controller& controller, const SlurmSite& site);

}  // namespace slipway::cluster
