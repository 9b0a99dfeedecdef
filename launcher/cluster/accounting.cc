// The settings for job accounting in Slurm's files.
#include "launcher/cluster/accounting.h"

#include <fmt/core.h>

#include "launcher/cluster/slurm_overrides.h"

namespace slipway::cluster {
namespace {

// With a database of its own machine, each controller can run slurmdbd.
bool has_two(const Cluster& cluster) {
  return cluster.controller.has_backup && cluster.controller.external_database;
}

}  // namespace

std::vector<SlurmSetting> accounting_settings(const Cluster& cluster, const std::string& gather) {
  std::vector<SlurmSetting> settings = {
      {"AccountingStorageType", "accounting_storage/slurmdbd",
       "Keeps the history of jobs: sacct(1), sacctmgr(1)."},
      {"AccountingStorageHost", controller_name(cluster), ""},
      {"AccountingStoragePort", std::to_string(slurmdbd_port), ""},
      {"AccountingStorageTRES", "gres/gpu", "Counts GPUs, too."},
      {"AccountingStoreFlags", "job_comment", ""},
      {"JobAcctGatherType", gather, ""},
      {"JobAcctGatherFrequency", "30", ""},
  };
  if (has_two(cluster)) {
    settings.insert(settings.begin() + 2,
                    {"AccountingStorageBackupHost", controller_name(cluster) + "-backup", ""});
  }
  return settings;
}

std::string slurmdbd_conf(const Cluster& cluster, const SlurmSite& site) {
  std::vector<SlurmSetting> settings = {
      {"AuthType", "auth/munge", ""},
      {"DbdHost", controller_name(cluster), ""},
      {"DbdPort", std::to_string(slurmdbd_port), ""},
      {"SlurmUser", site.slurm_user, ""},
      {"LogFile", site.log_dir + "/slurmdbd.log", ""},
      {"PidFile", site.run_dir + "/slurmdbd.pid", ""},
      {"StorageType", "accounting_storage/mysql", ""},
  };
  const Controller& controller = cluster.controller;
  const bool external = site.follows_blueprint && controller.external_database;
  if (!external) {
    settings.insert(settings.end(), {{"StorageHost", "localhost", ""},
                                     {"StorageUser", site.slurm_user, ""},
                                     {"StorageLoc", "slurm_acct_db", ""}});
  }
  if (site.follows_blueprint && has_two(cluster)) {
    settings.push_back({"DbdBackupHost", controller_name(cluster) + "-backup", ""});
  }
  if (site.follows_blueprint && controller.slurm_auth) settings[0].value = "auth/slurm";
  if (site.follows_blueprint) override_settings(settings, controller.slurmdbd_conf);
  std::string text =
      fmt::format("# Written by slipway {} for deployment `{}` ({}): slurmdbd.conf(5).\n",
                  SLIPWAY_VERSION, cluster.deployment, site.target);
  for (const SlurmSetting& setting : settings) {
    text += fmt::format("{}={}\n", setting.key, setting.value);
  }
  if (external) {
    text +=
        "# The controller adds StorageHost, StorageUser, StoragePass and StorageLoc when it boots: "
        "they are "
        "in the\n# Secret Manager.\n";
  }
  return text;
}

}  // namespace slipway::cluster
