// Rotates the logs of a local node in place.
#include "launcher/node/log_rotation.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "common/fd.h"

namespace slipway::node {
namespace {

namespace fs = std::filesystem;

bool copy(int from, int to, off_t bytes) {
  for (off_t offset = 0; offset < bytes;) {
    if (::sendfile(to, from, &offset, static_cast<size_t>(bytes - offset)) <= 0) return false;
  }
  return true;
}

bool rotate(const fs::path& log, uint64_t limit_bytes) {
  const Fd file(::open(log.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info = {};
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  if (static_cast<uint64_t>(info.st_size) <= limit_bytes) return false;
  const fs::path before = log.native() + ".1", fresh = log.native() + ".new";
  ::unlink(fresh.c_str());
  const Fd kept(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  const bool whole = kept && copy(file.get(), kept.get(), info.st_size) &&
                     ::fchown(kept.get(), info.st_uid, info.st_gid) == 0 &&
                     ::fchmod(kept.get(), info.st_mode & 0777) == 0 &&
                     ::rename(fresh.c_str(), before.c_str()) == 0;
  if (!whole) ::unlink(fresh.c_str());
  // Truncate even if the copy failed: it matters most when the disk is full.
  return ::ftruncate(file.get(), 0) == 0;
}

}  // namespace

std::vector<std::string> rotate_logs(const fs::path& folder, uint64_t limit_bytes) {
  std::vector<std::string> names;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator(folder, gone)) {
    const fs::path& path = entry.path();
    if (path.extension() == ".1" || path.extension() == ".new") continue;
    if (rotate(path, limit_bytes)) names.push_back(path.filename());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace slipway::node
