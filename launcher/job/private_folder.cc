// Creates a private folder, and removes those that killed programs left behind.
#include "launcher/job/private_folder.h"

#include <linux/magic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "common/error.h"
#include "common/file_lock.h"

namespace slipway::job {
namespace {

namespace fs = std::filesystem;

constexpr const char* lock_name = ".in-use";

// Others may create anything in /tmp.
bool is_ours(const fs::path& folder) {
  struct stat info = {};
  return ::lstat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid();
}

bool is_same_file(const Fd& file, const fs::path& path) {
  struct stat open = {}, named = {};
  return ::fstat(file.get(), &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

void remove_abandoned(const fs::path& parent, const std::string& prefix) {
  std::error_code ignored;
  // No range-for: it throws if the folder cannot be read further.
  for (fs::directory_iterator at(parent, ignored), end; at != end; at.increment(ignored)) {
    const fs::path folder = at->path();
    if (!folder.filename().string().starts_with(prefix) || !is_ours(folder)) continue;
    // A folder without a lock is still being created.
    if (!fs::exists(folder / lock_name, ignored)) continue;
    try {
      if (const Fd lock = try_lock(folder / lock_name)) fs::remove_all(folder, ignored);
    } catch (const Error&) {
      // Another process was faster.
    }
  }
}

}  // namespace

fs::path lasting_folder() {
  constexpr const char* memory = "/dev/shm";
  const fs::path usual = fs::temp_directory_path();
  if (usual != "/tmp") return usual;  // Slurm sets TMPDIR=/tmp
  struct statfs info = {};
  const bool is_memory = ::statfs(memory, &info) == 0 && info.f_type == TMPFS_MAGIC &&
                         ::access(memory, W_OK | X_OK) == 0;
  return is_memory ? memory : usual;
}

PrivateFolder::PrivateFolder(const std::string& name, const fs::path& parent) {
  remove_abandoned(parent, name + "-");
  // If another process takes the lock first, it removes the folder: try again.
  while (!lock_ || !is_same_file(lock_, path_ / lock_name)) {
    std::string folder = parent / (name + "-XXXXXX");
    if (::mkdtemp(folder.data()) == nullptr) throw_errno("cannot create a folder in " + folder);
    path_ = folder;
    lock_ = try_lock(path_ / lock_name);
  }
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace slipway::job
