// A squashfs image mounted by the kernel.
#include "spank-plugins/container/kernel_mount.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>

namespace slipway::container {
namespace {

constexpr unsigned attributes_of_image = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

// A loop device of the image, which goes away with its last user.
Fd loop_device(int image, std::string& name) {
  const Fd control(::open("/dev/loop-control", O_RDWR | O_CLOEXEC));
  loop_config config = {};
  config.fd = static_cast<unsigned>(image);
  config.info.lo_flags = LO_FLAGS_READ_ONLY | LO_FLAGS_AUTOCLEAR;
  constexpr int attempts = 64;  // others look for a free one at the same time
  for (int i = 0; control && i < attempts; ++i) {
    const int number = ::ioctl(control.get(), LOOP_CTL_GET_FREE);
    if (number < 0) return Fd();
    name = "/dev/loop" + std::to_string(number);
    Fd device(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
    if (!device) return Fd();
    if (::ioctl(device.get(), LOOP_CONFIGURE, &config) == 0) return device;
    if (errno != EBUSY) return Fd();
  }
  return Fd();
}

Fd squashfs_of(const std::string& device) {
  const Fd config(::fsopen("squashfs", FSOPEN_CLOEXEC));
  if (!config || ::fsconfig(config.get(), FSCONFIG_SET_STRING, "source", device.c_str(), 0) != 0 ||
      ::fsconfig(config.get(), FSCONFIG_SET_FLAG, "ro", nullptr, 0) != 0 ||
      ::fsconfig(config.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    return Fd();
  }
  return Fd(::fsmount(config.get(), FSMOUNT_CLOEXEC, attributes_of_image));
}

// The user namespace as a file; /proc/self/fdinfo has the number of a pidfd's process.
Fd user_namespace_of(int process) {
  std::ifstream info("/proc/self/fdinfo/" + std::to_string(process));
  for (std::string word; info >> word;) {
    if (word != "Pid:") continue;
    info >> word;
    return Fd(::open(("/proc/" + word + "/ns/user").c_str(), O_RDONLY | O_CLOEXEC));
  }
  errno = ESRCH;
  return Fd();
}

// The image's root becomes the user of `namespace_file`.
bool map_ids(int tree, int namespace_file) {
  mount_attr attributes = {};
  attributes.attr_set = MOUNT_ATTR_IDMAP;
  attributes.userns_fd = static_cast<unsigned>(namespace_file);
  return ::mount_setattr(tree, "", AT_EMPTY_PATH, &attributes, sizeof attributes) == 0;
}

}  // namespace

Fd kernel_mount(int process, int image) {
  std::string name;
  const Fd device = loop_device(image, name);
  if (!device) return Fd();
  const Fd tree = squashfs_of(name);
  if (!tree || ::unshare(CLONE_NEWNS) != 0 ||
      ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return Fd();
  }
  const Fd users = user_namespace_of(process);
  if (!users || !map_ids(tree.get(), users.get()) ||
      ::move_mount(tree.get(), "", AT_FDCWD, "/tmp", MOVE_MOUNT_F_EMPTY_PATH) != 0) {
    return Fd();
  }
  // A copy of the mounts for another user namespace is locked: there, nobody can take away nosuid
  // and nodev, or the mount.
  if (::setns(users.get(), CLONE_NEWUSER) != 0 || ::unshare(CLONE_NEWNS) != 0) return Fd();
  return Fd(::open_tree(AT_FDCWD, "/tmp", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
}

}  // namespace slipway::container
