// Writes the lines of plugstack.conf.
#include "launcher/cluster/plugstack.h"

#include <fmt/core.h>

namespace slipway::cluster {
namespace {

// Slurm takes an option from the first plugin that registers it. Two of them would still both
// read PYXIS_CONTAINER_IMAGE, so only one is included.
std::string container_lines(const Controller& controller, const SlurmSite& site) {
  if (controller.containers == "none") {
    return "# Without containers (`containers: none` in the blueprint).\n";
  }
  if (controller.containers == "pyxis") {
    return fmt::format(
        "# Containers (srun --container-image) by pyxis: its own file, which comes with it.\n"
        "include {}/*.conf\n",
        site.pyxis_dir);
  }
  return fmt::format(
      "# Containers (srun --container-image). The line itself is installed with the plugin:\n"
      "# images built before the plugin existed have neither.\n"
      "include {}/container/*.conf\n",
      site.plugin_dir);
}

}  // namespace

std::string plugstack_lines(const Controller& controller, const SlurmSite& site) {
  return container_lines(controller, site) +
         fmt::format(
             "# Sets NCCL's variables for the node's transport. `optional`: if it fails, "
             "the job runs.\n"
             "# Below the containers' plugin, so that its values hold against an image's.\n"
             "optional {}/nccl_env.so\n"
             "# Checks each node before a job. The line itself is installed with the plugin: "
             "images\n# built before the plugin existed have neither, and start.\ninclude "
             "{}/*.conf\n",
             site.plugin_dir, site.plugin_dir);
}

}  // namespace slipway::cluster
