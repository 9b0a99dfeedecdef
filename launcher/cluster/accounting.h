// Job accounting: the settings in Slurm's files for slurmdbd and its database on the controller.
#pragma once

#include <string>
#include <vector>

#include "launcher/cluster/model.h"
#include "launcher/cluster/slurm_site.h"

namespace slipway::cluster {

inline constexpr int slurmdbd_port = 6819;

// Lines of slurm.conf. `gather` is the plugin that measures jobs: "jobacct_gather/linux". Nothing
// is enforced (AccountingStorageEnforce is not set): jobs run without an account.
std::vector<SlurmSetting> accounting_settings(const Cluster& cluster, const std::string& gather);

// The text of slurmdbd.conf, for a database on the same machine that identifies users through its
// socket; there is no password. slurmdbd requires that only its own user can read the file.
std::string slurmdbd_conf(const Cluster& cluster, const SlurmSite& site);

}  // namespace slipway::cluster
