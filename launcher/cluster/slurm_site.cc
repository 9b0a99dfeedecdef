// What the places ask of Slurm.
#include "launcher/cluster/slurm_site.h"

namespace slipway::cluster {

SlurmSite local_slurm_site() {
  SlurmSite site;
  site.target = "local";
  site.settings = {
      {"AuthType", "auth/munge", "Every node has a munged with this deployment's own key."},
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
      {"SchedulerParameters", "batch_sched_delay=0",
       "A batch job that finds its nodes idle starts within a second, not after three."},
      {"MailProg", "/bin/true", "There is nobody to send mail to."},
  };
  site.cgroup_settings = {
      {"CgroupPlugin", "cgroup/v1",
       "Nothing here uses cgroups. Left to find out which version there is, slurmd 22.05 fails "
       "where"
       " there is none; named, it does not look."},
  };
  return site;
}

}  // namespace slipway::cluster
