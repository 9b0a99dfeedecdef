// The image of a container.
#include "spank-plugins/container/image.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "common/child.h"
#include "common/error.h"
#include "common/process.h"
#include "common/text.h"

namespace slipway::container {
namespace {

constexpr std::string_view squashfs_magic = "hsqs";

// The device, opened in our user namespace, by us or by root in it.
Fd open_fuse(int node, StepdLine& line) {
  Fd device(::openat(node, "dev/fuse", O_RDWR | O_CLOEXEC));
  if (device || errno == ENOENT) return device;
  if (Fd helped = line.ask(Signal::wants_fuse)) return helped;
  errno = EACCES;
  return Fd();
}

[[noreturn]] void explain_fuse() {
  if (errno == ENOENT || errno == ENODEV || errno == ENXIO) {
    throw_errno("cannot mount the image: this node has no /dev/fuse; as root: `modprobe fuse`");
  }
  throw_errno(
      "cannot mount the image: /dev/fuse is closed to users; as root: `chmod 0666 /dev/fuse`, and "
      "a udev rule that keeps it");
}

[[noreturn]] void become_server(int node, int image, int fuse, int log) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // It reads a file that may be made to break it, and needs no rights of a setuid program.
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ::setpgid(0, 0);
  if (::fchdir(node) != 0 || ::chroot(".") != 0) ::_exit(126);
  ::dup2(::open("/dev/null", O_RDWR), 0);
  ::dup2(log, 1);
  ::dup2(log, 2);
  // After 3 and 4 nothing is left that could be overwritten.
  const int image_copy = ::fcntl(image, F_DUPFD, 10), fuse_copy = ::fcntl(fuse, F_DUPFD, 10);
  ::dup2(image_copy, 3);
  ::dup2(fuse_copy, 4);
  close_all_but({3, 4});
  unblock_signals();
  for (const char* program : {"/usr/bin/squashfuse_ll", "/usr/local/bin/squashfuse_ll"}) {
    ::execl(program, "squashfuse_ll", "-f", "/proc/self/fd/3", "/dev/fd/4", nullptr);
  }
  ::_exit(errno == ENOENT ? 127 : 126);
}

// The server answers the first request after it has read the image, or it ends, and with it the
// connection.
bool is_served(const std::string& mount_point) {
  struct stat info = {};
  return ::stat((mount_point + "/.").c_str(), &info) == 0;
}

// Of a folder: often, a path to an image without the image's name.
void check_is_root(const Fd& folder, const std::filesystem::path& path) {
  for (const char* needed : {"usr", "bin", "etc/rc"}) {
    if (::faccessat(folder.get(), needed, F_OK, AT_SYMLINK_NOFOLLOW) == 0) return;
  }
  throw Error(fmt::format("`{}` is a folder without `usr` or `bin`, so not the root of a container",
                          path.string()));
}

}  // namespace

Image open_image(const std::filesystem::path& path) {
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) throw_errno(fmt::format("cannot open the image `{}`", path.string()));
  struct stat info = {};
  if (::fstat(file.get(), &info) != 0) {
    throw_errno(fmt::format("cannot open the image `{}`", path.string()));
  }
  if (S_ISDIR(info.st_mode)) {
    check_is_root(file, path);
    return {std::move(file), true};
  }
  char magic[squashfs_magic.size()] = {};
  if (!S_ISREG(info.st_mode) || ::pread(file.get(), magic, sizeof magic, 0) < 0 ||
      std::string_view(magic, sizeof magic) != squashfs_magic) {
    throw Error(
        fmt::format("`{}` is neither a squashfs image nor a folder; `slipway container "
                    "import` makes images",
                    path.string()));
  }
  return {std::move(file), false};
}

void serve_image(const Image& image, int node, const std::string& mount_point, StepdLine& line) {
  Fd fuse = open_fuse(node, line);
  if (!fuse) explain_fuse();
  const std::string options =
      fmt::format("fd={},rootmode=40000,user_id=0,group_id=0,allow_other", fuse.get());
  if (::mount("squashfuse", mount_point.c_str(), "fuse", MS_RDONLY | MS_NOSUID | MS_NODEV,
              options.c_str()) != 0) {
    throw_errno("cannot mount the image with FUSE");
  }
  const Fd log = memory_file("squashfuse", "");
  const pid_t server = fork_child("squashfuse_ll");
  if (server == 0) become_server(node, image.file.get(), fuse.get(), log.get());
  fuse.reset();  // the server's is now the only one: its end is the end of the mount
  if (is_served(mount_point)) return;
  const int status = exit_code_of(wait_for_child(server));
  if (status == 127) {
    throw Error("squashfuse_ll is not installed on this node; on Debian: `apt install squashfuse`");
  }
  const std::string words(trim(read_whole(log.get())));
  throw Error(fmt::format("squashfuse_ll cannot serve the image: {}",
                          words.empty() ? fmt::format("it ended with status {}", status) : words));
}

}  // namespace slipway::container
