// Slurm settings for each place where a cluster can run.
#include "launcher/cluster/slurm_site.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

namespace slipway::cluster {

namespace {

// A local cluster of up to so many nodes answers at once, whatever it does.
constexpr size_t nodes_at_once = 64;

// What Slurm waits for takes as much longer as there are more nodes on the same processors.
size_t seconds_for(size_t nodes, size_t seconds, size_t most) {
  return std::clamp(seconds * nodes / nodes_at_once, seconds, most);
}

// For nodes that start and stop on this machine.
const std::vector<SlurmSetting> local_power_settings = {
    {"PrivateData", "cloud", "Shows nodes that are off until a job needs them."},
    {"SlurmctldParameters", "cloud_dns,idle_on_node_suspend,power_save_interval=1",
     "Every node has its address before it starts."},
    {"ResumeProgram", "/opt/slipway/libexec/slipway/resume",
     "Nodes beyond the static ones run only while jobs need them."},
    {"SuspendProgram", "/opt/slipway/libexec/slipway/suspend", ""},
    {"ResumeFailProgram", "/opt/slipway/libexec/slipway/suspend",
     "Powers off a node that did not start in time, so that the next try starts clean."},
    {"ResumeRate", "0", "All nodes that a job needs start at once."},
    {"SuspendRate", "0", ""},
};

const std::vector<SlurmSetting> cgroup_tracking = {
    {"ProctrackType", "proctrack/cgroup",
     "Finds a job's processes by their cgroup: none outlives its job and keeps a GPU."},
    {"TaskPlugin", "task/affinity,task/cgroup",
     "Binds tasks to their cores, and shows them only their own GPUs."},
};

const std::vector<SlurmSetting> cgroup_limits = {
    {"ConstrainCores", "yes", "A job can use only its own cores, memory and GPUs."},
    {"ConstrainRAMSpace", "yes", ""},
    {"ConstrainDevices", "yes", ""},
};

// In cgroup.conf(5) of 24.11; 22.05 does not know the word.
constexpr SlurmVersion can_disable_cgroups = {24, 11};

std::vector<SlurmSetting> without_cgroups(const SlurmVersion& slurm) {
  if (slurm >= can_disable_cgroups) return {{"CgroupPlugin", "disabled", "Cgroups are not used."}};
  return {{"CgroupPlugin", "cgroup/v1",
           "Cgroups are not used. Without this line slurmd 22.05 tries to detect their version and "
           "fails if they are missing."}};
}

}  // namespace

SlurmSite local_slurm_site(bool elastic, size_t nodes, const SlurmVersion& slurm) {
  SlurmSite site;
  site.slurm = slurm;
  site.target = "local";
  site.elastic = elastic;
  site.always_on_state = "UNKNOWN";
  site.pyxis_dir = "/usr/local/share/pyxis";  // of its `make install`: /etc/slurm is the cluster's
  site.settings = {
      {"AuthType", "auth/munge", "Every node has a munged with this deployment's own key."},
      {"AuthInfo", fmt::format("cred_expire={}", seconds_for(nodes, 15, 300)),
       "A requeued job waits this long, by default two minutes: on one machine, credentials "
       "are in transit only as long as it takes to start a task on every node."},
      {"CredType", "cred/munge", ""},
      {"ProctrackType", "proctrack/linuxproc",
       "Nodes are namespaces and cannot write cgroups: processes are found through their parents, "
       "and cores and memory are counted, not enforced."},
      {"TaskPlugin", "task/none", ""},
      {"SlurmdParameters", "config_overrides",
       "A node reports the CPUs and memory of its machine type, whatever this machine has."},
      {"TreeWidth", "65533",
       "Messages go directly to each node: none waits for another that a rehearsal has killed."},
      {"SlurmdTimeout", "60",
       "A dead node is DOWN after a minute (300 s in a cloud): rehearsals are shorter than "
       "jobs."},
      {"SchedulerParameters", "batch_sched_delay=0,bf_interval=2,nohold_on_prolog_fail",
       "A batch job with idle nodes starts within a second, not after three; a job of "
       "several parts starts two seconds after its nodes were checked, not 30; after an "
       "unhealthy node, a job moves to other nodes by itself."},
      {"HealthCheckInterval", "61",
       "Slurm gives a check 60 seconds, and from 26.05 on complains if the next one is due then."},
      {"MailProg", "/bin/true", "Sends no mail: there is nobody to send it to."},
  };
  if (nodes > nodes_at_once) {
    site.settings.push_back({"TCPTimeout", std::to_string(seconds_for(nodes, 2, 30)),
                             "All nodes share a few processors: a connection may take longer than "
                             "two seconds."});
  }
  // srun answers nodes one after another, and those that wait for too long send their message
  // twice.
  if (const size_t seconds = seconds_for(nodes, 20, 300); seconds > 60) {
    site.common["MessageTimeout"] = std::to_string(seconds);
  }
  if (elastic) {
    site.settings.insert(site.settings.end(), local_power_settings.begin(),
                         local_power_settings.end());
  }
  site.cgroup_settings = without_cgroups(slurm);
  return site;
}

SlurmSite hosts_slurm_site(const HostsSite& hosts) {
  SlurmSite site;
  site.target = "hosts";
  site.slurm = hosts.slurm;
  site.has_pmix = hosts.has_pmix;
  site.follows_blueprint = true;
  site.plugin_dir = hosts.plugins;
  site.prolog = hosts.programs + "/prolog";
  site.epilog = hosts.programs + "/epilog";
  site.job_scripts = hosts.programs;
  site.common["HealthCheckProgram"] = hosts.programs + "/health";
  site.settings = {
      {"AuthType", "auth/munge", "Every machine has a munged with the cluster's own key."},
      {"CredType", "cred/munge", ""},
      {"SlurmdTimeout", "300", ""},
      {"SchedulerParameters", "nohold_on_prolog_fail",
       "After an unhealthy node, a job moves to other nodes by itself."},
      {"HealthCheckInterval", "300", ""},
  };
  if (hosts.has_cgroups) {
    site.settings.insert(site.settings.end(), cgroup_tracking.begin(), cgroup_tracking.end());
    site.cgroup_settings = cgroup_limits;
    return site;
  }
  site.settings.push_back({"ProctrackType", "proctrack/linuxproc",
                           "A machine lacks systemd or cgroups of version 2: processes are found "
                           "through their parents, and cores and memory are counted, not "
                           "enforced."});
  site.settings.push_back({"TaskPlugin", "task/none", ""});
  site.cgroup_settings = without_cgroups(hosts.slurm);
  return site;
}

SlurmSite google_slurm_site() {
  SlurmSite site;
  site.target = "google";
  site.slurm = {23, 2};
  site.elastic = true;
  site.follows_blueprint = true;
  site.has_accounting = true;
  site.job_scripts = "/opt/slipway/libexec/slipway";
  site.settings = {
      {"AuthType", "auth/munge", "Every machine has a munged with the cluster's own key."},
      {"CredType", "cred/munge", ""},
      cgroup_tracking[0],
      cgroup_tracking[1],
      {"TreeWidth", "128", "A message to hundreds of nodes passes through one intermediate node."},
      {"PrivateData", "cloud", "Shows nodes that have no machine yet."},
      {"SlurmctldParameters", "cloud_dns,idle_on_node_suspend",
       "The cloud's DNS knows a node's name as soon as its machine exists."},
      {"CommunicationParameters", "NoAddrCache", "A node that is made again has another address."},
      {"ResumeProgram", "/opt/slipway/libexec/slipway/resume",
       "Nodes beyond the static ones exist only while jobs need them."},
      {"SuspendProgram", "/opt/slipway/libexec/slipway/suspend", ""},
      {"ResumeFailProgram", "/opt/slipway/libexec/slipway/suspend",
       "Deletes a machine that did not start in time, so that the next try starts clean."},
      {"SuspendTime", "300",
       "Without it, Slurm starts no node if all partitions have SuspendTime=INFINITE."},
      {"ResumeTimeout", "300", ""},
      {"SuspendTimeout", "300", ""},
      {"ResumeRate", "0", "All nodes that a job needs start at once."},
      {"SuspendRate", "0", ""},
      {"SlurmdTimeout", "300", ""},
      {"SchedulerParameters", "nohold_on_prolog_fail",
       "After an unhealthy node, a job moves to other nodes by itself."},
      {"HealthCheckInterval", "300", ""},
      {"MailProg", "/bin/true", "Sends no mail."},
  };
  site.cgroup_settings = cgroup_limits;
  return site;
}

}  // namespace slipway::cluster
