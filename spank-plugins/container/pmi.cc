// The folders that PMIx of a step shares with its tasks.
#include "spank-plugins/container/pmi.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>

#include "common/fd.h"
#include "common/text.h"

namespace slipway::container {
namespace {

std::string variable(const Environment& job, const char* name, const std::string& otherwise = "") {
  const auto found = job.find(name);
  return found == job.end() || found->second.empty() ? otherwise : found->second;
}

const std::vector<std::string> pmix_flags = {"x-create=dir", "bind",  "rw",      "nosuid",
                                             "noexec",       "nodev", "private", "nofail"};

bool is_own_folder(const std::string& path, int node, uint64_t resolve) {
  open_how how = {};
  how.flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | resolve;
  const Fd folder(static_cast<int>(::syscall(SYS_openat2, node, path.c_str(), &how, sizeof how)));
  struct stat info = {};
  return folder && ::fstat(folder.get(), &info) == 0 && info.st_uid == ::geteuid();
}

}  // namespace

std::vector<std::string> pmix_folders(std::string_view sockets, const std::string& job,
                                      const std::string& step) {
  const std::string folder = fmt::format("/pmix.{}.{}/", job, step);
  // Of Slurm's own PMIx server, beside the folder: pmixp_info.c, "stepd.slurm.pmix.%d.%d".
  const std::string beside = fmt::format("/stepd.slurm.pmix.{}.{}", job, step);
  std::vector<std::string> found;
  for (const std::string& line : split(sockets, '\n')) {
    const size_t path = line.find('/'), at = line.find(folder);
    if (path != std::string::npos && line.ends_with(beside)) {
      found.push_back(line.substr(path, line.size() - beside.size() - path) +
                      folder.substr(0, folder.size() - 1));
    } else if (path != std::string::npos && at != std::string::npos) {
      found.push_back(line.substr(path, at + folder.size() - 1 - path));
    }
  }
  return found;
}

std::string own_pmix_folder(const std::vector<std::string>& folders, int node) {
  for (const uint64_t resolve : {uint64_t{RESOLVE_NO_SYMLINKS}, uint64_t{0}}) {
    const auto own = std::ranges::find_if(
        folders, [&](const std::string& folder) { return is_own_folder(folder, node, resolve); });
    if (own != folders.end()) return *own;
  }
  return {};
}

std::vector<MountRequest> pmi_mounts(const Environment& job, int node) {
  const std::string id = variable(job, "SLURM_JOB_ID"), step = variable(job, "SLURM_STEP_ID");
  const std::string type = variable(job, "SLURM_MPI_TYPE", "pmix");
  if (id.empty() || step.empty() || !type.starts_with("pmix")) return {};
  std::string server = variable(job, "PMIX_SERVER_TMPDIR");
  if (server.empty()) {
    std::ifstream file("/proc/net/unix");
    const std::string sockets(std::istreambuf_iterator<char>(file), {});
    server = own_pmix_folder(pmix_folders(sockets, id, step), node);
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
