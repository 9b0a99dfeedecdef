// The files of a local deployment, its lock, and whether it runs.
#include "launcher/local/deployment_folder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "common/error.h"
#include "common/file.h"

namespace slipway::local {
namespace {

bool usable_name(const std::string& name) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789_-";
  return !name.empty() && name.size() <= 63 && name.find_first_not_of(allowed) == name.npos &&
         name[0] != '-';
}

}  // namespace

DeploymentFolder::DeploymentFolder(std::filesystem::path deployments, std::string name)
    : name_(std::move(name)), path_(std::move(deployments) / name_) {
  if (!usable_name(name_)) {
    throw Error(fmt::format(
        "`{}` is not a deployment name; use lowercase letters, digits, - and _ only", name_));
  }
}

RunState DeploymentFolder::run_state() const {
  Fd lock(::open((path_ / "lock").c_str(), O_RDONLY | O_CLOEXEC));
  if (!lock) return std::filesystem::exists(path_) ? RunState::dead : RunState::absent;
  // A shared lock, so that two processes that ask at once do not see each other.
  return ::flock(lock.get(), LOCK_SH | LOCK_NB) == 0 ? RunState::dead : RunState::running;
}

RunState DeploymentFolder::require_present() const {
  const RunState now = run_state();
  if (now == RunState::absent) {
    throw Error(fmt::format("there is no deployment `{}`; `slipway status` lists them", name_));
  }
  return now;
}

bool DeploymentFolder::is_full() const {
  constexpr unsigned long least_bytes = 1 << 20;
  struct statvfs info = {};
  return ::statvfs(path_.c_str(), &info) == 0 && info.f_bavail * info.f_frsize < least_bytes;
}

Fd DeploymentFolder::create() const {
  make_directories(path_.parent_path());
  if (::mkdir(path_.c_str(), 0700) != 0) {
    if (errno == EEXIST) return Fd();
    throw_errno(fmt::format("cannot make directory {}", path_.string()));
  }
  const std::filesystem::path file = path_ / "lock";
  Fd lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    const int code = errno;
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
    throw_errno(fmt::format("cannot lock {}", file.string()), code);
  }
  return lock;
}

Fd DeploymentFolder::take_over() const {
  const std::filesystem::path file = path_ / "lock";
  Fd lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  // A process that only checks whether the deployment runs holds the lock for a moment.
  for (int tries = 0; lock && tries < 100; ++tries) {
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
    ::usleep(10'000);
  }
  throw_errno(fmt::format("cannot lock {}", file.string()));
}

std::filesystem::path deployments_folder() {
  if (::geteuid() == 0) return "/var/lib/slipway/deployments";
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && state[0] == '/') {
    return std::filesystem::path(state) / "slipway/deployments";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/') {
    return std::filesystem::path(home) / ".local/state/slipway/deployments";
  }
  throw Error("cannot locate your deployments: HOME is not set");
}

std::vector<DeploymentFolder> all_deployments() {
  std::vector<DeploymentFolder> found;
  const std::filesystem::path deployments = deployments_folder();
  if (!std::filesystem::is_directory(deployments)) return found;
  for (const auto& entry : std::filesystem::directory_iterator(deployments)) {
    const std::string name = entry.path().filename().string();
    if (usable_name(name)) found.emplace_back(deployments, name);
  }
  std::ranges::sort(found, {}, &DeploymentFolder::name);
  return found;
}

}  // namespace slipway::local
