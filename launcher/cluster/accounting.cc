// The settings for job accounting in Slurm's files.
#include "launcher/cluster/accounting.h"

#include <fmt/core.h>

namespace slipway::cluster {
namespace {

std::string host(const Cluster& cluster) {
  return cluster.name + "-controller";
}

}  // namespace

std::vector<SlurmSetting> accounting_settings(const Cluster& cluster, const std::string& gather) {
  return {
      {"AccountingStorageType", "accounting_storage/slurmdbd",
       "Keeps the history of jobs: sacct(1), sacctmgr(1)."},
      {"AccountingStorageHost", host(cluster), ""},
      {"AccountingStoragePort", std::to_string(slurmdbd_port), ""},
      {"AccountingStorageTRES", "gres/gpu", "Counts GPUs, too."},
      {"AccountingStoreFlags", "job_comment", ""},
      {"JobAcctGatherType", gather, ""},
      {"JobAcctGatherFrequency", "30", ""},
  };
}

std::string slurmdbd_conf(const Cluster& cluster, const SlurmSite& site) {
  return fmt::format(
      "# Written by slipway {0} for deployment `{1}` ({2}): slurmdbd.conf(5).\n"
      "AuthType=auth/munge\n"
      "DbdHost={3}\n"
      "DbdPort={4}\n"
      "SlurmUser={5}\n"
      "LogFile={6}/slurmdbd.log\n"
      "PidFile={7}/slurmdbd.pid\n"
      "StorageType=accounting_storage/mysql\n"
      "StorageHost=localhost\n"
      "StorageUser={5}\n"
      "StorageLoc=slurm_acct_db\n",
      SLIPWAY_VERSION, cluster.deployment, site.target, host(cluster), slurmdbd_port,
      site.slurm_user, site.log_dir, site.run_dir);
}

}  // namespace slipway::cluster
