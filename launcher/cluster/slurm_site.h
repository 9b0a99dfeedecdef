// What differs between the places where a cluster can run: paths, users, plugins.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/slurm_version.h"

namespace slipway::cluster {

// One line of slurm.conf that the place needs, and the reason, which the generated file shows.
struct SlurmSetting {
  std::string key;
  std::string value;
  std::string why;
};

// Where nodes keep jobs' private /tmp, unless the blueprint names another folder.
inline constexpr const char* default_job_space = "/var/lib/slipway/jobs";

struct SlurmSite {
  std::string target;  // "local", "google" or "hosts"

  std::string slurm_user = "slurm";  // runs slurmctld and owns its state
  std::string config_dir = "/etc/slurm";
  std::string state_dir = "/var/spool/slurmctld";  // slurmctld's; owned by slurm_user, mode 0755
  // Where two controllers have it: below a file system that both mount.
  std::string shared_state_dir = "/var/spool/slurm/slurmctld";
  std::string spool_dir = "/var/spool/slurmd";                // slurmd's; owned by root
  std::string log_dir = "/var/log/slurm";                     // owned by slurm_user
  std::string run_dir = "/run";                               // for PID files
  std::string plugin_dir = "/opt/slipway/lib/slipway/spank";  // SPANK plugins, on every node

  // Where pyxis's own lines for plugstack.conf are, on every node, if the blueprint wants pyxis.
  std::string pyxis_dir = "/etc/slurm/plugstack.conf.d";

  // Nodes start and stop on demand: dynamic nodes are listed, and partitions have suspend and
  // resume times. Otherwise the cluster has only its static nodes.
  bool elastic = false;

  // If elastic: the state of static nodes. CLOUD if Slurm starts these too.
  std::string always_on_state = "CLOUD";

  // The Slurm that reads the files; at least this version.
  SlurmVersion slurm = {22, 5};

  // If elastic: exclusive partitions get PowerDownOnIdle. Older versions refuse the key.
  bool has_power_down_on_idle() const { return slurm >= SlurmVersion{23, 2}; }

  // Slurm has its plugin for PMIx, by which srun starts MPI programs. Debian left it out
  // of 26.05.5.
  bool has_pmix = true;

  // topology/block, since Slurm 24.05. The cloud's images for machines with NVLink domains have it.
  bool has_blocks() const { return target == "google" || slurm >= SlurmVersion{24, 5}; }

  // Values of settings that clusters everywhere have.
  std::map<std::string, std::string> common;

  // Lines of cgroup.conf; if empty, the file is not written.
  std::vector<SlurmSetting> cgroup_settings;

  // Our programs on every node that start and stop a transport's daemon for a job.
  std::string prolog = "/opt/slipway/libexec/slipway/prolog";
  std::string epilog = "/opt/slipway/libexec/slipway/epilog";

  // Folder of our programs that run the blueprint's scripts around jobs, after or before the
  // programs above; "": the place does not run such scripts.
  std::string job_scripts = {};

  // The place follows the blueprint's settings of Slurm (Controller::slurm_conf and its kin).
  bool follows_blueprint = false;

  // The place always has accounting.
  bool has_accounting = false;

  // All other lines that the place needs in slurm.conf, in this order.
  std::vector<SlurmSetting> settings;
};

// For a cluster of so many nodes in namespaces on one machine. `elastic`: some of them start on
// demand. `slurm`: the oldest one that reads the files.
SlurmSite local_slurm_site(bool elastic = false, size_t nodes = 0,
                           const SlurmVersion& slurm = {22, 5});

// For a cluster on Google Cloud, with images that have cgroups v2 and Slurm 23.02 or newer.
SlurmSite google_slurm_site();

// What machines that exist already have in common.
struct HostsSite {
  SlurmVersion slurm;
  bool has_pmix = true;
  bool has_cgroups = true;  // version 2, and systemd
  std::string programs;     // folder of Slipway's programs around jobs
  std::string plugins;      // folder of its SPANK plugins
};

// For a cluster on machines that exist already.
SlurmSite hosts_slurm_site(const HostsSite& hosts);

}  // namespace slipway::cluster
