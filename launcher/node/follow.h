// Takes a changed configuration over on a compute or login node, once slurmctld uses it:
// docs/guides/google-cloud.md.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "launcher/node/cloud.h"
#include "launcher/node/machine.h"

namespace slipway::node {

// What makes slurmd use new files.
struct SlurmdChange {
  enum class How { nothing, reload, restart };
  How how = How::nothing;
  std::string why{};         // "taskplugin changed"; empty: no need to say
  bool needs_idle = false;   // running jobs depend on the old setting
  std::string impossible{};  // why not even a restart is enough; then nothing is changed
};

// Compares Slurm's files before and after, by their name in /etc/slurm.
SlurmdChange slurmd_change(const std::map<std::string, std::string>& before,
                           const std::map<std::string, std::string>& after);

// Whether slurmctld reads the same slurm.conf, from what `scontrol show config` prints with it.
bool is_slurm_conf_of_slurmctld(const std::string& config);

struct FollowOptions {
  std::filesystem::path folder = "/run/slipway/follow";  // what a run leaves for the next
  bool standby = false;  // a controller that is not in control: only Slurm's files, for slurmctld
};

// Compares this machine's files with cluster.json, and takes over what has changed: scripts around
// jobs, the node profile and new file systems at once, Slurm's files once slurmctld uses the same
// slurm.conf. If slurmd does not serve with them, the old files come back. Says what it does and,
// once, what it waits for. Throws Error.
void follow_configuration(Cloud& cloud, const Patience& patience, const FollowOptions& options,
                          const Say& say);

}  // namespace slipway::node
