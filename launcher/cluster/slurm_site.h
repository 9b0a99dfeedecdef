// What differs between the places where the same cluster runs: paths, users, plugins.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace slipway::cluster {

// One line of slurm.conf that the place asks for, and why: users read the generated file.
struct SlurmSetting {
  std::string key;
  std::string value;
  std::string why;
};

// Where jobs have their own /tmp on a node, unless the blueprint names another folder.
inline constexpr const char* default_job_space = "/var/lib/slipway/jobs";

struct SlurmSite {
  std::string target;  // "local" or "google"

  std::string slurm_user = "slurm";  // runs slurmctld, owns its state
  std::string config_dir = "/etc/slurm";
  std::string state_dir = "/var/spool/slurmctld";  // of slurmctld, owned by slurm_user, mode 0755
  std::string spool_dir = "/var/spool/slurmd";     // of each slurmd, owned by root
  std::string log_dir = "/var/log/slurm";          // owned by slurm_user
  std::string run_dir = "/run";                    // process id files
  std::string plugin_dir = "/opt/slipway/lib/slipway/spank";  // SPANK plugins, on every node

  // Nodes come and go by demand: dynamic nodes are listed, partitions carry suspend and resume
  // times. Otherwise the cluster is its static nodes.
  bool elastic = false;

  // Then: the state of nodes that are always on. CLOUD where Slurm makes them, too.
  std::string always_on_state = "CLOUD";

  // Then: partitions for one job a node have PowerDownOnIdle, which is newer than Slurm 22.05.
  bool has_power_down_on_idle = true;

  // Nodes are far apart or near: topology.conf says so.
  bool has_topology = false;

  // Lines of cgroup.conf; without any the file is not written.
  std::vector<SlurmSetting> cgroup_settings;

  // Names of the transports that the place can provide. `socket` needs no provision.
  std::set<std::string> transports;

  // Programs of ours on every node that start and stop a transport's daemon for a job.
  std::string prolog = "/opt/slipway/libexec/slipway/prolog";
  std::string epilog = "/opt/slipway/libexec/slipway/epilog";

  // Everything else that the place wants in slurm.conf, in this order.
  std::vector<SlurmSetting> settings;
};

// The site of a cluster in namespaces on one machine, for Slurm 22.05 and newer. `elastic`: some of
// its nodes start on demand.
SlurmSite local_slurm_site(bool elastic = false);

// The site of a cluster on Google Cloud, for images with cgroups v2 and Slurm 23.02 or newer.
SlurmSite google_slurm_site();

}  // namespace slipway::cluster
