// What root does for a user's container.
#include "spank-plugins/container/root_help.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include "common/child.h"
#include "spank-plugins/container/kernel_mount.h"
#include "spank-plugins/container/slurmstepd_line.h"

namespace slipway::container {
namespace {

// Whether root is the caller's saved id: what a plugin of slurmstepd has in user_init.
bool has_root_to_take_back() {
  uid_t real = 0, effective = 0, saved = 0;
  return ::getresuid(&real, &effective, &saved) == 0 && saved == 0;
}

// The owner and mode of a file of FUSE are what its server says, and the server can be a user's.
bool is_fuse(int file) {
  struct statfs system = {};
  return ::fstatfs(file, &system) != 0 || system.f_type == FUSE_SUPER_MAGIC;
}

// A file that was a user's can still be open for writing. A lease to read is granted only if it is
// not; file systems without leases, such as NFS, cannot tell.
bool is_open_for_writing(int file) {
  const bool granted = ::fcntl(file, F_SETLEASE, F_RDLCK) == 0;
  if (granted) ::fcntl(file, F_SETLEASE, F_UNLCK);
  return !granted;
}

bool only_root_writes(const struct stat& info) {
  return info.st_uid == 0 && (info.st_gid == 0 || (info.st_mode & S_IWGRP) == 0) &&
         (info.st_mode & S_IWOTH) == 0;
}

}  // namespace

bool only_root_can_write(int file) {
  struct stat info = {};
  if (::fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || !only_root_writes(info)) return false;
  if (is_fuse(file) || is_open_for_writing(file)) return false;
  char path[4096] = {};
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const ssize_t size = ::readlink(link.c_str(), path, sizeof path - 1);
  if (size <= 0 || path[0] != '/') return false;
  // The same file must be there by its name: it was not renamed or removed by anybody since.
  struct stat named = {};
  if (::lstat(path, &named) != 0 || named.st_dev != info.st_dev || named.st_ino != info.st_ino) {
    return false;
  }
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (;; folder = folder.parent_path()) {
    if (::lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || !only_root_writes(info)) {
      return false;
    }
    if (folder == "/") return true;
  }
}

Fd made_by_root(const std::function<Fd()>& work, std::chrono::milliseconds limit) {
  if (!has_root_to_take_back()) {
    errno = EPERM;
    return Fd();
  }
  SocketPair talk = make_socket_pair();
  const pid_t child = fork_child("the container's helper");
  if (child == 0) {
    Fd made;
    if (::setresuid(0, 0, 0) == 0 && ::setresgid(0, 0, 0) == 0) made = work();
    const char code = static_cast<char>(made ? 0 : errno);
    send_with_fd(talk.theirs.get(), code, made.get());
    ::_exit(0);
  }
  talk.theirs.reset();  // the child's is now the only one: its end is the end of the connection
  char code = ETIMEDOUT;
  Fd result;
  if (readable_until(talk.ours.get(), std::chrono::steady_clock::now() + limit) &&
      !receive_with_fd(talk.ours.get(), code, result)) {
    code = ECHILD;
  }
  ::kill(child, SIGKILL);  // allowed by root as the real id
  wait_for_child(child);
  errno = code;
  return result;
}

Fd fuse_device_for(int process) {
  return made_by_root([&]() -> Fd {
    if (::setns(process, CLONE_NEWUSER) != 0) return Fd();
    return Fd(::open("/dev/fuse", O_RDWR | O_CLOEXEC));
  });
}

Fd kernel_mount_for(int process, int image) {
  return made_by_root([&]() -> Fd {
    if (!only_root_can_write(image)) {
      errno = EPERM;
      return Fd();
    }
    return kernel_mount(process, image);
  });
}

}  // namespace slipway::container
