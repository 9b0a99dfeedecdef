// Slurm's files, made to suit the Slurm of the machine that installs them. They are written before
// anyone knows which Slurm the machines will have.
#pragma once

#include <map>
#include <string>

#include "launcher/node/installed_slurm.h"

namespace slipway::node {

// `files` has the content by name. What is changed:
// - job_container.conf lists more folders from 23.02 on.
// - slurm.conf loses CommunicationParameters=NoAddrCache from 24.11 on, which looks up every
//   address again and calls the option defunct in an error (seen in Debian's 24.11.5 and 26.05.5).
// - Without the plugin for PMIx, which Debian's 26.05.5 lacks, MpiDefault=pmix would make srun
//   refuse every program: a comment takes its place, and mpi.conf goes.
void suit_slurm_files(std::map<std::string, std::string>& files, const InstalledSlurm& slurm);

}  // namespace slipway::node
