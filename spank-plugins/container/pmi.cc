// The folders that PMIx of a step shares with its tasks.
#include "spank-plugins/container/pmi.h"

#include <fmt/core.h>

#include <fstream>
#include <iterator>

#include "common/text.h"

namespace slipway::container {
namespace {

std::string variable(const Environment& job, const char* name, const std::string& otherwise = "") {
  const auto found = job.find(name);
  return found == job.end() || found->second.empty() ? otherwise : found->second;
}

const std::vector<std::string> pmix_flags = {"x-create=dir", "bind",  "rw",      "nosuid",
                                             "noexec",       "nodev", "private", "nofail"};

}  // namespace

std::string pmix_folder(std::string_view sockets, const std::string& job, const std::string& step) {
  const std::string folder = fmt::format("/pmix.{}.{}/", job, step);
  // Of Slurm's own PMIx server, beside the folder: pmixp_info.c, "stepd.slurm.pmix.%d.%d".
  const std::string beside = fmt::format("/stepd.slurm.pmix.{}.{}", job, step);
  for (const std::string& line : split(sockets, '\n')) {
    const size_t root = line.find('/');
    if (root != std::string::npos && line.ends_with(beside)) {
      return line.substr(root, line.size() - beside.size() - root) +
             folder.substr(0, folder.size() - 1);
    }
    const size_t path = line.find('/'), at = line.find(folder);
    if (path != std::string::npos && at != std::string::npos) {
      return line.substr(path, at + folder.size() - 1 - path);
    }
  }
  return {};
}

std::vector<MountRequest> pmi_mounts(const Environment& job) {
  const std::string id = variable(job, "SLURM_JOB_ID"), step = variable(job, "SLURM_STEP_ID");
  const std::string type = variable(job, "SLURM_MPI_TYPE", "pmix");
  if (id.empty() || step.empty() || !type.starts_with("pmix")) return {};
  std::string server = variable(job, "PMIX_SERVER_TMPDIR");
  if (server.empty()) {
    std::ifstream file("/proc/net/unix");
    server = pmix_folder(std::string(std::istreambuf_iterator<char>(file), {}), id, step);
  }
  if (server.empty()) return {};
  // Slurm makes the folder of the tasks in SLURM_PMIX_TMPDIR, otherwise in its TmpFS.
  const std::string temporary =
      variable(job, "SLURM_PMIX_TMPDIR",
               variable(job, "PMIX_SYSTEM_TMPDIR", variable(job, "TMPDIR", "/tmp")));
  const std::string of_step = fmt::format("{}.{}", id, step);
  const std::string user = variable(job, "SLURM_JOB_UID");
  std::vector<MountRequest> mounts;
  for (const std::string& place :
       {server, fmt::format("{}/spmix_appdir_{}_{}", temporary, user, of_step),
        fmt::format("{}/spmix_appdir_{}", temporary, of_step)}) {
    mounts.push_back({place, place, pmix_flags});
  }
  return mounts;
}

}  // namespace slipway::container
