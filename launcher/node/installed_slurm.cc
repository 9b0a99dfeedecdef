// Finds out which Slurm a node has.
#include "launcher/node/installed_slurm.h"

#include <string_view>
#include <vector>

#include "launcher/node/services.h"

namespace slipway::node {
namespace {

namespace fs = std::filesystem;

// Where libraries are below `root`, with Debian's folders for each architecture.
std::vector<fs::path> library_folders(const fs::path& root) {
  std::vector<fs::path> folders;
  for (const char* name : {"usr/lib", "usr/lib64", "usr/local/lib"}) {
    folders.push_back(root / name);
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(root / name, ignored)) {
      if (entry.path().filename().string().ends_with("-linux-gnu")) folders.push_back(entry.path());
    }
  }
  return folders;
}

}  // namespace

bool has_pmix_plugin(const fs::path& root) {
  bool has_plugins = false;
  std::error_code ignored;
  for (const fs::path& libraries : library_folders(root)) {
    for (const char* name : {"slurm-wlm", "slurm"}) {
      if (fs::exists(libraries / name / "mpi_pmix.so", ignored)) return true;
      has_plugins = has_plugins || fs::exists(libraries / name / "select_cons_tres.so", ignored);
    }
  }
  return !has_plugins;
}

InstalledSlurm installed_slurm() {
  return {slurm_version(), has_pmix_plugin("/")};
}

}  // namespace slipway::node
