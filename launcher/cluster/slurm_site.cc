// What the places ask of Slurm.
#include "launcher/cluster/slurm_site.h"

namespace slipway::cluster {

namespace {

// Of nodes that start and stop on this machine.
const std::vector<SlurmSetting> local_power_settings = {
    {"PrivateData", "cloud", "Nodes that are off until a job needs them are shown like others."},
    {"SlurmctldParameters", "cloud_dns,idle_on_node_suspend,power_save_interval=1",
     "Every node has its address before it is started."},
    {"ResumeProgram", "/opt/slipway/libexec/slipway/resume",
     "Nodes beyond the static ones run only while jobs need them."},
    {"SuspendProgram", "/opt/slipway/libexec/slipway/suspend", ""},
    {"ResumeFailProgram", "/opt/slipway/libexec/slipway/suspend",
     "A node that did not come in time is put off, so that the next try begins anew."},
    {"ResumeRate", "0", "All that a job needs start at once."},
    {"SuspendRate", "0", ""},
};

}  // namespace

SlurmSite local_slurm_site(bool elastic) {
  SlurmSite site;
  site.target = "local";
  site.elastic = elastic;
  site.always_on_state = "UNKNOWN";
  site.has_power_down_on_idle = false;
  site.settings = {
      {"AuthType", "auth/munge", "Every node has a munged with this deployment's own key."},
      {"AuthInfo", "cred_expire=15",
       "A job that was sent back waits for this long, two minutes if nothing is said: on one "
       "machine "
       "nothing is under way for longer."},
      {"CredType", "cred/munge", ""},
      {"ProctrackType", "proctrack/linuxproc",
       "Nodes are namespaces and cannot write cgroups: processes are found by their parents,"
       " and cores and memory are counted, not enforced."},
      {"TaskPlugin", "task/none", ""},
      {"SlurmdParameters", "config_overrides",
       "A node claims the CPUs and memory of its machine type, whatever this machine has."},
      {"TreeWidth", "65533",
       "Messages go straight to each node: no node waits for another that a rehearsal has killed."},
      {"SlurmdTimeout", "60",
       "A dead node is DOWN after a minute (a cloud waits 300 s): rehearsals are shorter than "
       "jobs."},
      {"SchedulerParameters", "batch_sched_delay=0,bf_interval=2,nohold_on_prolog_fail",
       "A batch job that finds its nodes idle starts within a second, not after three; a job of "
       "several parts starts two seconds after its nodes were looked at, not 30; one that met an "
       "unfit node goes to others by itself."},
      {"HealthCheckInterval", "60", ""},
      {"MailProg", "/bin/true", "There is nobody to send mail to."},
  };
  if (elastic) {
    site.settings.insert(site.settings.end(), local_power_settings.begin(),
                         local_power_settings.end());
  }
  site.cgroup_settings = {
      {"CgroupPlugin", "cgroup/v1",
       "Nothing here uses cgroups. Left to find out which version there is, slurmd 22.05 fails "
       "where"
       " there is none; named, it does not look."},
  };
  return site;
}

SlurmSite google_slurm_site() {
  SlurmSite site;
  site.target = "google";
  site.transports = {"gib", "tcpx", "tcpxo"};
  site.elastic = true;
  site.has_topology = true;
  site.settings = {
      {"AuthType", "auth/munge", "Every machine has a munged with the cluster's own key."},
      {"CredType", "cred/munge", ""},
      {"ProctrackType", "proctrack/cgroup",
       "A job's processes are found by their cgroup: none outlives its job and keeps a GPU."},
      {"TaskPlugin", "task/affinity,task/cgroup",
       "Tasks stay on their cores, and see the GPUs that they were given."},
      {"TreeWidth", "128", "A message to hundreds of nodes goes through one node in between."},
      {"PrivateData", "cloud", "Nodes that no machine is made for yet are shown like others."},
      {"SlurmctldParameters", "cloud_dns,idle_on_node_suspend",
       "A node's name is known to the cloud's DNS as soon as its machine is there."},
      {"ResumeProgram", "/opt/slipway/libexec/slipway/resume",
       "Nodes beyond the static ones are machines only while jobs need them."},
      {"SuspendProgram", "/opt/slipway/libexec/slipway/suspend", ""},
      {"ResumeFailProgram", "/opt/slipway/libexec/slipway/suspend",
       "A machine that did not come in time is deleted, so that the next try begins anew."},
      {"ResumeTimeout", "300", ""},
      {"SuspendTimeout", "300", ""},
      {"ResumeRate", "0", "All that a job needs start at once."},
      {"SuspendRate", "0", ""},
      {"SlurmdTimeout", "300", ""},
      {"SchedulerParameters", "nohold_on_prolog_fail",
       "A job that met an unfit node goes to others by itself."},
      {"HealthCheckInterval", "300", ""},
      {"MailProg", "/bin/true", "Machines of the image send no mail."},
  };
  site.cgroup_settings = {
      {"ConstrainCores", "yes", "A job has its cores, memory and GPUs, and no others."},
      {"ConstrainRAMSpace", "yes", ""},
      {"ConstrainDevices", "yes", ""},
  };
  return site;
}

}  // namespace slipway::cluster
