// Tries the kernel's features that local clusters need.
#include "launcher/local/kernel_features.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/child.h"
#include "common/error.h"
#include "common/fd.h"
#include "common/file.h"
#include "common/process.h"
#include "launcher/local/namespaces.h"

namespace slipway::local {
namespace {

struct statx root_of_process() {
  struct statx info = {};
  ::statx(AT_FDCWD, "/", 0, STATX_MNT_ID | STATX_INO, &info);
  return info;
}

bool differ(const struct statx& a, const struct statx& b) {
  return a.stx_mnt_id != b.stx_mnt_id || a.stx_ino != b.stx_ino;
}

bool write_to(const char* path, const std::string& text) {
  const Fd file(::open(path, O_WRONLY | O_CLOEXEC));
  return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// Makes the caller root of its own user namespace. Returns 0 or an errno.
int become_root() {
  const uid_t uid = ::geteuid();
  const gid_t gid = ::getegid();
  if (::unshare(CLONE_NEWUSER) != 0) return errno;
  write_to("/proc/self/setgroups", "deny");
  const bool mapped = write_to("/proc/self/uid_map", fmt::format("0 {} 1", uid)) &&
                      write_to("/proc/self/gid_map", fmt::format("0 {} 1", gid));
  return mapped ? 0 : errno;
}

// An overlay as nodes have them, of a folder of our own: /usr may have mounts in it, such as those
// of a GPU's driver in a container, and cannot be below an overlay as a whole then. Returns 0 or an
// errno.
int mount_overlay() {
  const char* const folder = "/tmp";
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("tmpfs", folder, "tmpfs", 0, nullptr) != 0) {
    return errno;
  }
  for (const char* name : {"/tmp/lower", "/tmp/upper", "/tmp/work", "/tmp/root"}) {
    if (::mkdir(name, 0755) != 0) return errno;
  }
  const std::string options =
      fmt::format("lowerdir=/tmp/lower,upperdir=/tmp/upper,workdir=/tmp/work{}",
                  is_in_initial_user_namespace() ? "" : ",userxattr");
  return ::mount("overlay", "/tmp/root", "overlay", 0, options.c_str()) == 0 ? 0 : errno;
}

// A bridge and a pair of interfaces in our network namespace. Returns what `ip` says; empty if it
// made them.
std::string make_links() {
  try {
    run_checked({"/sbin/ip", "-batch", "-"}, {.input = "link add name b0 type bridge\n"
                                                       "link add name n0 type veth peer name n1\n",
                                              .deadline = std::chrono::seconds(10)});
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

std::string words_of(int code) {
  return code == 0 ? "" : std::strerror(code);
}

// Runs in the child: writes a line for each feature, with its problem.
void try_all(const Fd& to) {
  const auto tell = [&](const std::string& problem) {
    const std::string line = problem.substr(0, problem.find('\n')) + "\n";
    return ::write(to.get(), line.data(), line.size()) > 0;
  };
  int code = ::geteuid() != 0 ? become_root() : 0;
  if (code == 0 && ::unshare(own_namespaces & ~CLONE_NEWPID) != 0) code = errno;
  tell(words_of(code));
  if (code != 0) return;
  tell(words_of(mount_overlay()));
  tell(make_links());
}

}  // namespace

// A plain folder never is the root of a mount namespace. Where "/" is a mount, we enter our mount
// namespace again, which leads to the namespace's root. Only root can do that; an ordinary user
// cannot make namespaces in a chroot (user_namespaces(7)).
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

bool is_in_initial_user_namespace() {
  return read_file("/proc/self/uid_map").find("4294967295") != std::string::npos;
}

std::vector<KernelFeature> try_kernel_features() {
  Pipe pipe = make_pipe();
  const pid_t child = fork_child("a process");
  if (child == 0) {
    pipe.read.reset();
    try_all(pipe.write);
    ::_exit(0);
  }
  pipe.write.reset();
  std::string text;
  while (pipe.read) read_some(pipe.read, text);
  wait_for_child(child);
  std::vector<KernelFeature> features;
  for (const char* name : {"namespaces", "overlay file systems", "bridges and veth interfaces"}) {
    const size_t end = text.find('\n');
    if (end == text.npos) break;
    features.push_back({name, text.substr(0, end)});
    text.erase(0, end + 1);
  }
  return features;
}

}  // namespace slipway::local
