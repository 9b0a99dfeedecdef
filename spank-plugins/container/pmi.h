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
// so without it the folder is found by the socket that the step's server listens on.
std::vector<MountRequest> pmi_mounts(const Environment& job);

// The folder of the PMIx server of a step, in the text of /proc/net/unix. Empty if it has none.
std::string pmix_folder(std::string_view sockets, const std::string& job, const std::string& step);

}  // namespace slipway::container
