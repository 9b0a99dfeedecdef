// Settings of slurm.conf for what runs before and after a job: Slipway's prolog and epilog, the
// blueprint's scripts, and the time that they have.
#pragma once

#include <vector>

#include "common/slurm_version.h"
#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/model.h"
#include "launcher/cluster/slurm_site.h"

namespace slipway::cluster {

// How a job starts on its nodes: PrologFlags and, if jobs have a /tmp of their own, the plugin
// that gives it to them.
std::vector<SlurmSetting> job_start_settings(const Controller& controller,
                                             const SlurmVersion& slurm);

// PrologEpilogTimeout, and Prolog, Epilog, TaskProlog and TaskEpilog where there is something to
// run.
std::vector<SlurmSetting> job_program_settings(const Cluster& cluster, const Catalogue& catalogue,
                                               const SlurmSite& site);

}  // namespace slipway::cluster
