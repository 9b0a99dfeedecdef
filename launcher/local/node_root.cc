// Builds the root file system of a local node.
#include "launcher/local/node_root.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/magic.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "common/error.h"
#include "common/fd.h"
#include "common/file.h"
#include "common/text.h"
#include "launcher/local/host_mounts.h"
#include "launcher/local/kernel_features.h"

namespace slipway::local {
namespace {

namespace fs = std::filesystem;

// Made new in every node, never taken from the image.
const std::set<std::string> own_folders = {"/proc", "/sys", "/dev", "/run", "/tmp", "/lost+found"};

// Links to /tmp in every node: jobs have their own /tmp, but Slurm 22.05 gives them no /var/tmp.
const fs::path second_tmp = "var/tmp";

constexpr const char* root_name = "root";  // below NodeRoot::folder

constexpr const char* fuse_device = "/dev/fuse";

constexpr uintmax_t max_copied_bytes = 1 << 20;

void mount_or_throw(const char* source, const fs::path& target, const char* type,
                    unsigned long flags, const std::string& options = "") {
  if (::mount(source, target.c_str(), type, flags, options.c_str()) != 0) {
    throw_errno(
        fmt::format("cannot mount {} on {}", type != nullptr ? type : source, target.string()));
  }
}

void touch(const fs::path& path) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  if (!file) throw_errno(fmt::format("cannot make {}", path.string()));
}

bool is_proc(const fs::path& folder) {
  struct statfs info = {};
  return ::statfs(folder.c_str(), &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

// A path in overlay's mount options, where a comma ends an option and a colon ends a layer.
std::string option_text(const fs::path& path) {
  std::string text;
  for (char c : path.string()) {
    if (c == ',' || c == ':' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

class Builder {
 public:
  explicit Builder(const NodeRoot& plan)
      : plan_(plan),
        root_(plan.folder / root_name),
        upper_(plan.folder / "upper"),
        work_(plan.folder / "work") {
    for (const auto& [path, text] : plan.files) needed_folders_.insert(place(path).parent_path());
    for (const BindMount& bind : plan.binds) {
      const fs::path target = place(bind.target);
      needed_folders_.insert(fs::is_directory(bind.source) ? target : target.parent_path());
    }
    for (const fs::path& fresh : plan.fresh_folders) needed_folders_.insert(place(fresh));
    for (const fs::path& own : plan.own_memory) needed_folders_.insert(place(own));
  }

  void build() {
    for (const fs::path& path : {root_, upper_, work_}) make_directories(path);
    // pivot_root needs a mount point, and mounts in it must move along.
    mount_or_throw(root_.c_str(), root_, nullptr, MS_BIND | MS_REC);
    take_folder("");
    make_proc_and_sys();
    make_dev();
    for (const char* name : {"run", "tmp"}) {
      make_directories(root_ / name);
      mount_or_throw("tmpfs", root_ / name, "tmpfs", MS_NOSUID | MS_NODEV,
                     name == std::string("tmp") ? "mode=1777" : "mode=0755");
    }
    for (const fs::path& fresh : plan_.fresh_folders) {
      make_directories(plan_.folder / "fresh" / fresh.relative_path());
      bind_mount({plan_.folder / "fresh" / fresh.relative_path(), fresh, false});
    }
    for (const fs::path& own : plan_.own_memory) {
      make_directories(root_ / place(own));
      mount_or_throw("tmpfs", root_ / place(own), "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755");
    }
    for (const BindMount& bind : plan_.binds) bind_mount(bind);
    for (const auto& [path, text] : plan_.files) {
      make_directories((root_ / place(path)).parent_path());
      write_file(root_ / place(path), text, text.starts_with("#!") ? 0755 : 0644);
    }
    own_account_files();
  }

 private:
  // useradd and its kin write to these files and their backups, which the kernel refuses in an
  // ordinary user's namespace, as they belong to the host's root.
  void own_account_files() {
    own_file("etc/.pwd.lock");
    for (const std::string name : {"passwd", "group", "shadow", "gshadow", "subuid", "subgid"}) {
      own_file("etc/" + name);
      own_file("etc/" + name + "-");
    }
  }

  // What only the host's root may read, and take_file() then skips: passwords, which are of no use
  // in a node.
  void own_file(const fs::path& path) {
    const fs::path file = root_ / path;
    if (!fs::exists(plan_.image / path) || ::access(file.c_str(), R_OK | W_OK) == 0) return;
    if (::access(file.c_str(), R_OK) == 0) {
      write_file(file, read_file(file), 0644);
    } else {
      write_file(file, path == "etc/shadow" ? without_passwords() : "", 0600);
    }
  }

  // shadow(5) for the accounts of passwd. Without a line in it, pam_unix refuses an account also to
  // root's `su`, by which slurmd reads the environment for jobs with --export=NONE.
  std::string without_passwords() const {
    std::string shadow;
    for (const std::string& line : split(read_file(root_ / "etc/passwd"), '\n')) {
      const size_t end = line.find(':');
      if (end != line.npos) shadow += line.substr(0, end) + ":*:::::::\n";
    }
    return shadow;
  }

  // Resolves a path of the node, relative to its root. The image's links lead to places in the
  // node; followed from here they would lead to the host's.
  fs::path place(const fs::path& path) const { return resolve_in(plan_.image, path); }

  // Makes `path` of the image (relative to it) appear in the node.
  void take(const fs::path& path) {
    const fs::path source = plan_.image / path;
    const fs::file_status status = fs::symlink_status(source);
    if (path == second_tmp) {
      fs::create_symlink("/tmp", root_ / path);
    } else if (fs::is_symlink(status)) {
      fs::create_symlink(fs::read_symlink(source), root_ / path);
    } else if (fs::is_directory(status)) {
      if (is_proc(source)) {  // a chroot's /proc, for example, would show the host
        copy_folder_itself(path, root_ / path);
      } else if (has_mounts_below(plan_.image_mounts, source)) {
        take_folder(path);
      } else {
        overlay(path);
      }
    } else if (fs::is_regular_file(status)) {
      take_file(path);
    }
  }

  void take_folder(const fs::path& path) {
    copy_folder_itself(path, root_ / path);
    std::error_code unreadable;
    for (const auto& entry : fs::directory_iterator(plan_.image / path, unreadable)) {
      const fs::path below = path / entry.path().filename();
      if (!own_folders.contains("/" + below.string())) take(below);
    }
  }

  void take_file(const fs::path& path) {
    const fs::path source = plan_.image / path;
    std::error_code ignored;
    if (fs::file_size(source, ignored) <= max_copied_bytes) {
      fs::copy_file(source, root_ / path, ignored);  // skips files that we may not read
    } else {
      touch(root_ / path);
      bind_mount({source, path, true});
    }
  }

  // Makes an empty folder with the mode of the image's. Root owns it: munge and sshd distrust
  // folders of other users, and in an ordinary user's namespace the host's root is another user.
  void copy_folder_itself(const fs::path& path, const fs::path& to) {
    struct stat info = {};
    const bool known = ::stat((plan_.image / path).c_str(), &info) == 0;
    make_directories(to);
    ::chmod(to.c_str(), known ? info.st_mode & 07777 : 0755);
  }

  void overlay(const fs::path& path) {
    const fs::path source = plan_.image / path;
    if (::access(source.c_str(), R_OK | X_OK) != 0) {  // an ordinary user sees an empty folder
      copy_folder_itself(path, root_ / path);
      return;
    }
    copy_folder_itself(path, root_ / path);
    copy_folder_itself(path, upper_ / path);
    make_needed_folders(path);
    if (second_tmp.parent_path() == path) {
      fs::create_symlink("/tmp", upper_ / second_tmp);  // the link hides the folder below it
    }
    make_directories(work_ / path);
    const std::string layers = fmt::format(
        "lowerdir={},upperdir={},workdir={}{}", option_text(source), option_text(upper_ / path),
        option_text(work_ / path), in_initial_user_namespace_ ? "" : ",userxattr");
    if (::mount("overlay", (root_ / path).c_str(), "overlay", 0, layers.c_str()) == 0) return;
    const int code = errno;
    // Not every file system can be an overlay's lower layer: FAT cannot, nor can an overlay of
    // overlays.
    if (code != EINVAL || !is_mounted_in_image(source)) {
      throw_errno(fmt::format("cannot mount an overlay of {}", source.string()), code);
    }
    bind_mount({source, path, true});
  }

  bool is_mounted_in_image(const fs::path& folder) const {
    return std::ranges::find(plan_.image_mounts, folder) != plan_.image_mounts.end();
  }

  // Makes the folders below `path` that our files and mounts need, in the upper layer, where we own
  // them. In the image they belong to the host's root, and an ordinary user's cluster may not write
  // into those.
  void make_needed_folders(const fs::path& path) {
    for (const fs::path& needed : needed_folders_) {
      if (!(needed.string() + "/").starts_with(path.string() + "/")) continue;
      fs::path folder;
      for (const fs::path& part : needed) {
        folder /= part;
        if (folder.string().size() > path.string().size())
          copy_folder_itself(folder, upper_ / folder);
      }
    }
  }

  void make_proc_and_sys() {
    for (const char* name : {"proc", "sys"}) make_directories(root_ / name);
    mount_or_throw("proc", root_ / "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC);
    mount_or_throw("sysfs", root_ / "sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY);
    // slurmd does not start without a file system here, even if Slurm does not use cgroups.
    mount_or_throw("tmpfs", root_ / "sys/fs/cgroup", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC);
  }

  void make_dev() {
    const fs::path dev = root_ / "dev";
    make_directories(dev);
    mount_or_throw("tmpfs", dev, "tmpfs", MS_NOSUID, "mode=0755");
    for (const char* name : {"null", "zero", "full", "random", "urandom", "tty"}) {
      bind_device(fs::path("/dev") / name, dev / name);
    }
    make_fuse(dev / "fuse");
    for (const std::string& device : plan_.null_devices) {
      bind_device("/dev/null", root_ / fs::path(device).relative_path());
    }
    make_directories(dev / "pts");
    mount_or_throw("devpts", dev / "pts", "devpts", MS_NOSUID | MS_NOEXEC,
                   "newinstance,ptmxmode=0666,mode=0620,gid=5");
    fs::create_symlink("pts/ptmx", dev / "ptmx");
    fs::create_symlink("/proc/self/fd", dev / "fd");
    fs::create_symlink("/proc/self/fd/0", dev / "stdin");
    fs::create_symlink("/proc/self/fd/1", dev / "stdout");
    fs::create_symlink("/proc/self/fd/2", dev / "stderr");
    make_directories(dev / "shm");
    mount_or_throw("tmpfs", dev / "shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
  }

  // Images of containers are mounted with FUSE, by the job's user. Root makes the device with the
  // mode that fuse3's udev rule gives it; machines without udev keep it for root. An ordinary user
  // has the host's, with the host's mode. A host may have none: its nodes then have none, either.
  static void make_fuse(const fs::path& target) {
    struct stat hosts = {};
    if (::stat(fuse_device, &hosts) != 0 || !S_ISCHR(hosts.st_mode)) return;
    if (::mknod(target.c_str(), S_IFCHR | 0666, hosts.st_rdev) == 0) {
      ::chmod(target.c_str(), 0666);  // whatever the umask is
      if (Fd(::open(target.c_str(), O_RDWR | O_CLOEXEC))) return;
      ::unlink(target.c_str());  // a node of our own cannot be opened in a user namespace
    }
    bind_device(fuse_device, target);
  }

  // A bind mount, because an ordinary user may not make device nodes.
  static void bind_device(const fs::path& device, const fs::path& target) {
    touch(target);
    mount_or_throw(device.c_str(), target, nullptr, MS_BIND);
  }

  void bind_mount(const BindMount& bind) {
    const fs::path target = root_ / place(bind.target);
    if (fs::is_directory(bind.source)) {
      make_directories(target);
    } else if (!fs::exists(target)) {
      touch(target);
    }
    mount_or_throw(bind.source.c_str(), target, nullptr, MS_BIND | MS_REC);
    if (!bind.read_only) return;
    mount_attr attributes = {};
    attributes.attr_set = MOUNT_ATTR_RDONLY;
    if (::mount_setattr(AT_FDCWD, target.c_str(), AT_RECURSIVE, &attributes, sizeof attributes) !=
        0) {
      throw_errno(fmt::format("cannot make {} read-only", target.string()));
    }
  }

  const NodeRoot& plan_;
  const fs::path root_, upper_, work_;
  const bool in_initial_user_namespace_ = is_in_initial_user_namespace();
  std::set<fs::path> needed_folders_;  // relative to the root
};

}  // namespace

void build_node_root(const NodeRoot& root) {
  Builder(root).build();
}

void enter_node_root(const std::filesystem::path& folder) {
  if (::chdir((folder / root_name).c_str()) != 0 || ::syscall(SYS_pivot_root, ".", ".") != 0 ||
      ::umount2(".", MNT_DETACH) != 0 || ::chdir("/") != 0) {
    throw_errno("cannot change the root file system");
  }
}

}  // namespace slipway::local
