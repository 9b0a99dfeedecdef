// Container plugins that come after nccl_env in plugstack.conf: they apply an image's environment
// after our task_init, and so over our values.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "spank-plugins/nccl_env/marker.h"
#include "spank-plugins/nccl_env/settings.h"

namespace slipway::nccl_env {

// The name of the first such plugin, or empty. Slurm has loaded all plugins before it calls the
// first one, in the order of plugstack.conf.
std::string container_plugin_below();

// The names of all variables that this node's profile and plugstack.conf may set, and of the
// user's own: for PYXIS_CONTAINER_ENV, the variables whose values in the job beat the image's.
// Without LD_LIBRARY_PATH, of which the image needs its own folders. As root, reads the profile
// only if nobody else can have written it. Throws Error.
std::vector<std::string> names_to_keep(const Arguments& arguments, const Environment& environment);

// Watches until the calling task's program has started, in a process of its own. Then calls `look`
// there, with the program's environment and its root folder as seen from here, and ends it.
// Does nothing if the program does not start or ends at once.
void watch_start(const std::function<void(const Environment& seen, const std::string& root)>& look);

}  // namespace slipway::nccl_env
