// Where containers are on a node.
#include "spank-plugins/container/places.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/core.h>

#include "common/error.h"

namespace slipway::container {
namespace {

namespace fs = std::filesystem;

using Clock = std::chrono::steady_clock;

// A step that imports an image holds its lock: importing.cc has the limit.
constexpr auto longest_wait = std::chrono::hours(24);

constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Opens the folder `name` of an open folder, made if it is missing. It must belong to root, and
// nobody else may write it: then nobody can replace what is in it.
Fd root_folder(const Fd& parent, const std::string& name, const fs::path& path) {
  if (::mkdirat(parent.get(), name.c_str(), 0755) != 0 && errno != EEXIST) {
    throw_errno("cannot make " + path.string());
  }
  Fd folder(::openat(parent.get(), name.c_str(), folder_flags));
  struct stat state = {};
  if (!folder || ::fstat(folder.get(), &state) != 0) throw_errno("cannot open " + path.string());
  if (state.st_uid != 0 || (state.st_mode & 0022) != 0) {
    throw Error(path.string() + " can be changed by others than root");
  }
  return folder;
}

std::string file_of(uint32_t first, uint32_t second, const char* prefix) {
  return fmt::format("{}.{}.{}", prefix, first, second);
}

// rmdir(2) needs a folder that its owner can read; overlay makes one that nobody can.
void open_up(const fs::path& folder) {
  std::error_code ignored;
  fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add, ignored);
  std::vector<fs::path> below;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.symlink_status(ignored).type() == fs::file_type::directory) {
      below.push_back(entry.path());
    }
  }
  for (const fs::path& each : below) open_up(each);
}

}  // namespace

fs::path user_folder(const fs::path& runtime_path, uid_t uid) {
  return runtime_path / std::to_string(uid);
}

void make_user_folder(const fs::path& runtime_path, uid_t uid, gid_t gid) {
  Fd folder(::open("/", folder_flags));
  fs::path path = "/";
  for (const fs::path& part : runtime_path.relative_path()) {
    path /= part;
    if (!part.empty()) folder = root_folder(folder, part.string(), path);
  }
  const std::string name = std::to_string(uid);
  path /= name;
  const bool made = ::mkdirat(folder.get(), name.c_str(), 0700) == 0;
  if (!made && errno != EEXIST) throw_errno("cannot make " + path.string());
  Fd own(::openat(folder.get(), name.c_str(), folder_flags));
  struct stat state = {};
  if (!own || ::fstat(own.get(), &state) != 0) throw_errno("cannot open " + path.string());
  // Nobody but root can have made it.
  if (state.st_uid == 0 && uid != 0 && ::fchown(own.get(), uid, gid) != 0) {
    throw_errno("cannot give " + path.string() + " to the user");
  }
  if (state.st_uid != 0 && state.st_uid != uid) {
    throw Error(path.string() + " belongs to another user");
  }
}

std::string unnamed_folder(const StepId& id) {
  return file_of(id.job, id.step, "step");
}

std::string named_folder(const std::string& name, bool job_scope, uint32_t job) {
  return job_scope ? fmt::format("job.{}.{}", job, name) : "name." + name;
}

Fd open_lock(const fs::path& file) {
  Fd lock(::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!lock) throw_errno("cannot open " + file.string());
  return lock;
}

Fd lock_file(const fs::path& file) {
  Fd lock = open_lock(file);
  if (!try_lock(lock, longest_wait)) {
    throw_errno("cannot lock " + file.string());
  }
  return lock;
}

bool try_lock(const Fd& lock, std::chrono::milliseconds limit) {
  // A flock(2) without end could not be interrupted.
  const auto end = Clock::now() + limit;
  while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK || Clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

void unlock(const Fd& lock) {
  ::flock(lock.get(), LOCK_UN);
}

void remove_folder(const fs::path& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  if (!error) return;
  open_up(folder);
  fs::remove_all(folder, error);
  if (error) throw Error(fmt::format("cannot remove {}: {}", folder.string(), error.message()));
}

std::vector<fs::path> folders_of_job(const fs::path& user_folder, uint32_t job) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(user_folder, none)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(fmt::format("step.{}.", job)) ||
        name.starts_with(fmt::format("job.{}.", job))) {
      found.push_back(entry.path());
    }
  }
  return found;
}

}  // namespace slipway::container
