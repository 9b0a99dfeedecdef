// The container of a job on this node.
#include "launcher/job/container_place.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "common/error.h"
#include "common/file.h"
#include "common/pidfd.h"
#include "common/text.h"

namespace slipway::job {
namespace {

namespace fs = std::filesystem;

constexpr const char* holder_name = "holder";
constexpr const char* hold_name = "hold";

// The user namespace comes first: it gives the right to join the others.
constexpr std::array namespace_names = {"user", "mnt", "cgroup", "ipc", "net", "uts"};

Fd open_in(const fs::path& process, const char* name, int flags) {
  Fd fd(::open((process / name).c_str(), flags | O_CLOEXEC));
  if (!fd) throw_errno(fmt::format("cannot open {} of the container", name));
  return fd;
}

bool is_other(const Fd& file, const char* own) {
  struct stat theirs = {}, ours = {};
  if (::fstat(file.get(), &theirs) != 0 || ::stat(own, &ours) != 0) return true;
  return theirs.st_ino != ours.st_ino || theirs.st_dev != ours.st_dev;
}

Container container_of(pid_t holder) {
  const fs::path process = fmt::format("/proc/{}", holder);
  Container container;
  for (const char* name : namespace_names) {
    Fd fd = open_in(process / "ns", name, O_RDONLY);
    if (is_other(fd, fmt::format("/proc/self/ns/{}", name).c_str()))
      container.namespaces.push_back(std::move(fd));
  }
  container.root = open_in(process, "root", O_PATH | O_DIRECTORY);
  container.workdir = open_in(process, "cwd", O_PATH | O_DIRECTORY);
  const std::string bytes = read_file(process / "environ");
  for (const std::string& entry : split(bytes, '\0'))
    if (!entry.empty()) container.environment.push_back(entry);
  return container;
}

}  // namespace

std::vector<std::string> holding_command(const fs::path& folder) {
  return {"sh", "-c",
          fmt::format("p='{}/'$SLURMD_NODENAME; echo $$ >\"$p/{}\" || exit 1; "
                      "read -r line <\"$p/{}\"; exit 0",
                      folder.native(), holder_name, hold_name)};
}

const char* Container::join() const {
  for (const Fd& each : namespaces)
    if (::setns(each.get(), 0) != 0) return "cannot enter the container";
  if (::fchdir(root.get()) != 0 || ::chroot(".") != 0) return "cannot enter the container's root";
  if (::fchdir(workdir.get()) != 0) return "cannot change to the container's folder";
  return nullptr;
}

ContainerPlace::ContainerPlace(fs::path folder, const std::string& node)
    : shared_(std::move(folder)), folder_(shared_ / node) {
  if (::mkdir(shared_.c_str(), 0700) != 0 && errno != EEXIST)
    throw_errno("cannot create " + shared_.native());
  struct stat info = {};
  if (::lstat(shared_.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) ||
      info.st_uid != ::geteuid() || (info.st_mode & 077) != 0) {
    throw Error(fmt::format("{} is not a folder of this job alone", shared_.native()));
  }
  if (::mkdir(folder_.c_str(), 0700) != 0) throw_errno("cannot create " + folder_.native());
  const fs::path hold = folder_ / hold_name;
  if (::mkfifo(hold.c_str(), 0600) != 0) throw_errno("cannot create " + hold.native());
  // Writing, too, or opening it would wait for the other side.
  hold_ = Fd(::open(hold.c_str(), O_RDWR | O_CLOEXEC));
  if (!hold_) throw_errno("cannot open " + hold.native());
  ::setenv("TMPDIR", folder_.c_str(), 1);
}

ContainerPlace::~ContainerPlace() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  fs::remove(shared_, ignored);  // by the last node that has a part of it
}

bool ContainerPlace::ready() {
  if (ready_) return true;
  std::error_code ignored;
  const fs::path file = folder_ / holder_name;
  if (!fs::exists(file, ignored)) return false;
  const std::string text = read_regular_file(file, 64);
  if (!text.ends_with('\n')) return false;  // it is being written
  const auto holder = to_number<pid_t>(trim(text));
  if (!holder) throw Error(fmt::format("{} contains no process number", file.native()));
  holder_ = open_pidfd(*holder);
  if (!holder_) throw_errno("cannot find the process that holds the container");
  container_ = container_of(*holder);
  return ready_ = true;
}

bool ContainerPlace::is_gone() const {
  return ready_ && ends_within(holder_, std::chrono::milliseconds(0));
}

}  // namespace slipway::job
