// Scripts of the blueprint and of the site that Slurm runs around jobs and tasks.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace slipway::node {

// Where scripts are; tests use their own.
struct ScriptPlaces {
  // KIND.d/NUMBER-NAME, from the blueprint, and a file `external` that contains the folder of the
  // site's scripts if those run, too.
  std::filesystem::path own = "/etc/slurm/scripts";
  // Who may own a script that runs as root.
  unsigned int owner = 0;
};

// "prolog" and "epilog" run as root around a job, "task_prolog" and "task_epilog" as the user.
bool is_script_kind(const std::string& kind);

// Makes the blueprint's scripts exactly `scripts`, by their name below ScriptPlaces::own. Returns
// whether something changed. Throws Error for a name that leaves the folder.
bool write_scripts(const std::map<std::string, std::string>& scripts,
                   const ScriptPlaces& places = {});

// The scripts of a kind in the order in which they run: the blueprint's, then the site's for all
// partitions and for this one. As Cluster Toolkit has it, the site's are CONTEXT.d/NAME.CONTEXT and
// partition-PARTITION-CONTEXT.d/NAME.CONTEXT, where CONTEXT is the SLURM_SCRIPT_CONTEXT of Slurm.
// Scripts that would run as root and that others than root could have written are left out, and
// `say` receives a line about each.
std::vector<std::filesystem::path> scripts_around_jobs(
    const std::string& kind, const std::string& partition, const ScriptPlaces& places,
    const std::function<void(const std::string&)>& say);

// Runs them one after the other with this process's environment and streams. The first that fails
// ends a prolog; an epilog runs all. Returns the first exit status that is not 0, or 0; 126 for a
// script that cannot be run.
int run_scripts(const std::string& kind, const std::vector<std::filesystem::path>& scripts,
                const std::function<void(const std::string&)>& say);

}  // namespace slipway::node
