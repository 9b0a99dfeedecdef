// Checks that this machine has the programs that a local cluster runs.
#include <fcntl.h>
#include <fmt/core.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <set>

#include "common/child.h"
#include "common/error.h"
#include "common/fd.h"
#include "common/text.h"
#include "launcher/local/image_store.h"
#include "launcher/local/launch.h"
#include "launcher/local/namespaces.h"

namespace slipway::local {
namespace {

struct Requirement {
  const char* program;
  const char* package;  // Debian package
  enum { always, ordinary_user, accounting } when = always;
  bool on_nodes = true;  // false: this machine runs it on the nodes' behalf
};

constexpr Requirement requirements[] = {
    {"/usr/sbin/slurmctld", "slurmctld"},
    {"/usr/sbin/slurmd", "slurmd"},
    {"/usr/bin/srun", "slurm-client"},
    {"/usr/sbin/munged", "munge"},
    {"/sbin/ip", "iproute2", Requirement::always, false},
    {"/usr/sbin/slurmdbd", "slurmdbd", Requirement::accounting},
    {"/usr/sbin/mariadbd", "mariadb-server-core", Requirement::accounting},
    {"/usr/bin/newuidmap", "uidmap", Requirement::ordinary_user, false},
};

struct statx root_of_process() {
  struct statx info = {};
  ::statx(AT_FDCWD, "/", 0, STATX_MNT_ID | STATX_INO, &info);
  return info;
}

bool differ(const struct statx& a, const struct statx& b) {
  return a.stx_mnt_id != b.stx_mnt_id || a.stx_ino != b.stx_ino;
}

// Whether "/" is not the root of our mount namespace, as in a chroot(2): a plain folder never is.
// Where it is a mount, we enter our mount namespace again, which leads to the namespace's root.
// Only root can do that; an ordinary user cannot make namespaces there (user_namespaces(7)).
bool is_in_chroot() {
  const struct statx before = root_of_process();
  const auto is_mount = STATX_ATTR_MOUNT_ROOT;
  if ((before.stx_attributes_mask & is_mount) != 0 && (before.stx_attributes & is_mount) == 0)
    return true;
  if (::geteuid() != 0) return false;
  const pid_t child = fork_child("a process");
  if (child == 0) {
    const Fd mounts(::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC));
    const bool entered = mounts && ::setns(mounts.get(), CLONE_NEWNS) == 0;
    ::_exit(entered && differ(root_of_process(), before) ? 1 : 0);
  }
  const int status = wait_for_child(child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

}  // namespace

void require_programs(bool accounting, const std::string& image) {
  if (is_in_chroot()) {
    throw Error(
        "this is a chroot: commands could not enter the nodes, which are found from the root of "
        "the mount namespace; enter it with pivot_root instead, as unshare and container runtimes "
        "do, or run slipway outside");
  }
  const std::filesystem::path root = image_root(image);
  std::vector<std::string> missing;
  std::set<std::string> packages;
  for (const Requirement& requirement : requirements) {
    if (requirement.when == Requirement::ordinary_user && ::geteuid() == 0) continue;
    if (requirement.when == Requirement::accounting && !accounting) continue;
    const std::filesystem::path program(requirement.program);
    const bool within = requirement.on_nodes && !image.empty();
    if (::access((within ? root / program.relative_path() : program).c_str(), X_OK) == 0) continue;
    missing.emplace_back(requirement.program);
    packages.insert(requirement.package);
  }
  if (missing.empty()) return;
  const std::vector<std::string> names(packages.begin(), packages.end());
  if (!image.empty()) {
    throw Error(fmt::format("the image `{}`, or this machine, lacks {} (packages: {})", image,
                            join(missing, ", "), join(names, " ")));
  }
  throw Error(fmt::format("this machine lacks {}; as root: apt-get install {}", join(missing, ", "),
                          join(names, " ")));
}

void require_elastic_nodes() {
  if (has_time_namespaces()) return;
  throw Error(
      "this kernel has no time namespaces (CONFIG_TIME_NS), and without them Slurm takes a node "
      "that starts on demand for a long-running one; set node_count_dynamic_max to 0 "
      "to do without on-demand nodes");
}

}  // namespace slipway::local
