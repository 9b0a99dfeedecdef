// Job accounting: what Slurm's files say of slurmdbd and its database on the controller.
#pragma once

#include <string>
#include <vector>

#include "launcher/cluster/model.h"
#include "launcher/cluster/slurm_site.h"

namespace slipway::cluster {

inline constexpr int slurmdbd_port = 6819;

// Lines of slurm.conf. `gather` is the plugin that measures jobs: "jobacct_gather/linux". What jobs
// may not do without an account (AccountingStorageEnforce) is left alone: nothing is enforced.
std::vector<SlurmSetting> accounting_settings(const Cluster& cluster, const std::string& gather);

// The text of slurmdbd.conf, for a database on the same machine that knows users of that machine by
// its socket: there is no password. slurmdbd wants it readable by its own user alone.
std::string slurmdbd_conf(const Cluster& cluster, const SlurmSite& site);

}  // namespace slipway::cluster
