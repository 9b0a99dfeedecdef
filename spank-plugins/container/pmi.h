// The folders that PMIx of a step shares with its tasks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spank-plugins/container/environment.h"
#include "spank-plugins/container/request.h"

namespace slipway::container {

// The mounts that enroot's 50-slurm-pmi makes: the server's folder, and spmix_appdir_… in the
// system's folder for temporary files. slurmstepd sets PMIX_SERVER_TMPDIR only when a task starts,
// so without it the folder is found by the socket that the step's server listens on. `node` is the
// node's root.
std::vector<MountRequest> pmi_mounts(const Environment& job, int node);

// What could be the folder of the PMIx server of a step, in the text of /proc/net/unix. Every user
// of the node can give a socket any name.
std::vector<std::string> pmix_folders(std::string_view sockets, const std::string& job,
                                      const std::string& step);

// The one that belongs to the caller, as the server's does. Others can lead there by a link, so a
// path without links goes first. Empty if there is none.
std::string own_pmix_folder(const std::vector<std::string>& folders, int node);

}  // namespace slipway::container
