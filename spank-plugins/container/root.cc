// Builds the root of a container out of its image.
#include "spank-plugins/container/root.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/error.h"
#include "common/file.h"
#include "spank-plugins/container/driver.h"
#include "spank-plugins/container/path_in_root.h"
#include "spank-plugins/container/pmi.h"
#include "spank-plugins/container/user_namespace.h"

namespace slipway::container {
namespace {

void mount_or_explain(const char* source, const std::string& target, const char* type,
                      unsigned long flags, const char* options = nullptr) {
  if (::mount(source, target.c_str(), type, flags, options) == 0) return;
  const int code = errno;
  const std::string forbidden = user_namespaces_forbidden();
  throw_errno(fmt::format("cannot mount {} at {}{}", type == nullptr ? source : type, target,
                          forbidden.empty() ? "" : " (" + forbidden + ")"),
              code);
}

void make_folder(const char* path) {
  if (::mkdir(path, 0755) != 0) throw_errno(fmt::format("cannot make `{}`", path));
}

Fd open_folder(const std::filesystem::path& path) {
  Fd folder(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) throw_errno(fmt::format("cannot open `{}`", path.string()));
  return folder;
}

// The folder in which a named container keeps its changes, for this step alone.
Fd lock_changes(const std::filesystem::path& path) {
  if (path.empty()) return Fd();
  for (const char* name : {"upper", "work"}) make_directories(path / name, 0700);
  Fd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) throw_errno(fmt::format("cannot open `{}`", path.string()));
  if (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) {
    throw Error(fmt::format("another step on this node has the container whose changes are in `{}`",
                            path.string()));
  }
  return folder;
}

// Some folder that every node has; it is covered only until the node's root is put aside.
std::string covered_folder() {
  for (const char* path : {"/tmp", "/run", "/var", "/mnt"}) {
    struct stat info = {};
    if (::stat(path, &info) == 0 && S_ISDIR(info.st_mode)) return path;
  }
  throw Error("this node has none of /tmp, /run, /var and /mnt");
}

void pivot(const char* new_root, const char* old_root) {
  if (::syscall(SYS_pivot_root, new_root, old_root) != 0) {
    throw_errno("cannot change the root file system");
  }
}

}  // namespace

RootBuilder::RootBuilder(const ContainerPlan& plan)
    : plan_(plan),
      account_(account_of_caller()),
      image_(open_image(plan.image)),
      lock_(lock_changes(plan.changes)) {}

void RootBuilder::put_node_aside() {
  mount_or_explain("none", "/", nullptr, MS_SLAVE | MS_REC);
  // An overlay takes folders of its own mount namespace only, and we have a new one.
  if (lock_) changes_ = open_folder(plan_.changes);
  if (image_.is_folder) image_.file = open_folder(plan_.image);
  const std::string base = covered_folder();
  mount_or_explain("tmpfs", base, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755");
  if (::chdir(base.c_str()) != 0) throw_errno("cannot enter a new file system");
  for (const char* name :
       {"node", "image", "root", "files", "proc", "changes", "changes/upper", "changes/work"}) {
    make_folder(name);
  }
  pivot(".", "node");
  if (::chdir("/") != 0) throw_errno("cannot enter the new root");
  // For names of descriptors, as long as the container is built.
  mount_or_explain("/node/proc", "/proc", nullptr, MS_BIND | MS_REC);
  node_ = open_folder("/node");
}

void RootBuilder::mount_image(StepdLine& line) {
  if (image_.is_folder) return mount_overlay(name_of(image_.file.get()));
  if (plan_.kernel_images) {
    if (const Fd tree = line.ask(Signal::wants_kernel_image, image_.file.get())) {
      if (::move_mount(tree.get(), "", AT_FDCWD, "/image", MOVE_MOUNT_F_EMPTY_PATH) != 0) {
        throw_errno("cannot attach the kernel's mount of the image");
      }
      return mount_overlay("/image");
    }
  }
  serve_image(image_, node_.get(), "/image", line);
  mount_overlay("/image");
}

std::string RootBuilder::place_of_changes() {
  return changes_ ? name_of(changes_.get()) : "/changes";
}

void RootBuilder::mount_overlay(const std::string& lower) {
  const std::string place = place_of_changes();
  const std::string layers =
      fmt::format("lowerdir={},upperdir={}/upper,workdir={}/work,userxattr", lower, place, place);
  if (::mount("overlay", "/root", "overlay", MS_NOSUID | MS_NODEV, layers.c_str()) != 0) {
    const int code = errno;
    throw_errno(changes_ ? fmt::format("cannot keep the container's changes in `{}`: overlays need "
                                       "a local file system, not NFS",
                                       plan_.changes.string())
                         : "cannot mount the container's overlay",
                code);
  }
  container_ = open_folder("/root");
}

Environment RootBuilder::image_environment() const {
  return parse_environment(read_in_root(container_.get(), "etc/environment"), plan_.job);
}

// Before anything of the node is mounted: a link of the image cannot lead to a file of the node.
void RootBuilder::add_files() {
  add_accounts();
  find_loader_cache();
  if (plan_.entrypoint || !find_in_root(container_.get(), "etc/rc")) return;
  try {
    write_in_root(container_.get(), "etc/rc.local", "exec \"$@\"\n", 0755);
  } catch (const Error&) {
    runs_rc_ = false;
  }
}

void RootBuilder::add_accounts() {
  const int root = container_.get();
  const Account inside = account_in(root, account_);
  const std::string users = passwd_with(inside, read_in_root(root, "etc/passwd"), plan_.remap_root);
  const std::string groups = group_with(inside, read_in_root(root, "etc/group"), plan_.remap_root);
  try {
    write_in_root(root, "etc/passwd", users);
    write_in_root(root, "etc/group", groups);
    make_home(root, home());
  } catch (const Error&) {  // a folder of another user: its files can only be covered
    cover_account_file("etc/passwd", users);
    cover_account_file("etc/group", groups);
  }
}

void RootBuilder::cover_account_file(const std::string& path, const std::string& text) {
  const Fd target = find_in_root(container_.get(), path);
  if (target) cover_file(target.get(), path.substr(path.rfind('/') + 1), text);
}

void RootBuilder::cover_file(int target, const std::string& name, const std::string& text) {
  const std::string file = "/files/" + name;
  write_file(file, text);
  const Fd tree(::open_tree(AT_FDCWD, file.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
  if (!tree || ::move_mount(tree.get(), "", target, "",
                            MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0) {
    throw_errno(fmt::format("cannot cover `{}` in the container", name));
  }
}

void RootBuilder::find_loader_cache() {
  try {
    loader_cache_.folder = open_in_root(container_.get(), "etc");
    loader_cache_.file = find_in_root(container_.get(), loader_cache_path);
    // Ours of an earlier start, too.
    loader_cache_.text =
        read_in_root(container_.get(), loader_cache_path, 3 * largest_loader_cache);
  } catch (const Error& error) {
    loader_cache_.error = error.what();
  }
}

// As ldconfig does, which replaces the file: in a writable container, it can do so again.
void RootBuilder::list_for_loader(const std::vector<CachedLibrary>& libraries, bool makes_cache) {
  if (!libraries.empty() && !loader_cache_.error.empty()) throw Error(loader_cache_.error);
  const std::string own = own_cache(loader_cache_.text);
  const bool lists = !libraries.empty() && (makes_cache || !own.empty());
  const std::string text = lists ? with_libraries(own, libraries) : own;
  if (text == loader_cache_.text) return;
  const std::string name = std::filesystem::path(loader_cache_path).filename();
  try {
    if (text.empty()) return remove_from_folder(loader_cache_.folder.get(), name);
    write_in_folder(loader_cache_.folder.get(), name, text);
  } catch (const Error&) {  // a folder of another user
    if (loader_cache_.text.empty()) throw;
    cover_file(loader_cache_.file.get(), name, text);
  }
}

void RootBuilder::mount_system() {
  const std::vector<MountLine> lines = {
      {"/proc", "/proc", "", {"x-create=dir", "rbind", "nosuid", "nodev", "noexec"}},
      {"/sys", "/sys", "", {"x-create=dir", "rbind", "nosuid", "nodev", "noexec", "ro"}},
      {"/dev", "/dev", "", {"x-create=dir", "rbind", "nosuid", "noexec"}},
      {"tmpfs", "/tmp", "tmpfs", {"x-create=dir", "nosuid", "nodev", "mode=1777"}},
      {"tmpfs", "/run", "tmpfs", {"x-create=dir", "nosuid", "nodev", "mode=0755"}}};
  for (const MountLine& line : lines) mount_line(roots(), line);
  if (std::ranges::find(plan_.unshared, "ipc") != plan_.unshared.end()) {
    const std::vector<std::string> flags = {"nosuid", "nodev", "nofail", "mode=1777"};
    mount_line(roots(), {"tmpfs", "/dev/shm", "tmpfs", flags});
  }
}

void RootBuilder::mount_configuration() {
  for (const char* file :
       {"/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/etc/localtime", "/etc/machine-id"}) {
    mount_line(
        roots(),
        {file, file, "", {"x-create=file", "bind", "ro", "nosuid", "nodev", "noexec", "nofail"}});
  }
}

// The job's HOME, as with enroot; a job with --export=NONE has none.
void RootBuilder::mount_home() {
  if (!plan_.mount_home) return;
  const auto of_job = plan_.job.find("HOME");
  const bool set = of_job != plan_.job.end() && of_job->second.starts_with('/');
  const std::string folder = set ? of_job->second : account_.home;
  if (folder.empty()) return;
  const std::string target = plan_.remap_root ? home() : folder;
  mount_line(roots(), {folder, target, "", {"x-create=dir", "rbind", "nosuid"}});
}

void RootBuilder::add_mounts() {
  mount_system();
  mount_configuration();
  mount_home();
  for (const MountRequest& mount : pmi_mounts(plan_.job, node_.get()))
    mount_line(roots(), line_of(mount));
  for (const MountLine& line :
       parse_fstab(read_in_root(container_.get(), "etc/fstab"), plan_.job)) {
    mount_line(roots(), line);
  }
  for (const NodeFolder& each : plan_.node_folders) mount_node_folder(each);
  mount_driver();
  for (const MountRequest& mount : plan_.mounts) mount_line(roots(), line_of(mount));
  if (!plan_.batch_script.empty()) {
    mount_line(
        roots(),
        {plan_.batch_script, plan_.batch_script, "", {"x-create=file", "bind", "nosuid", "nodev"}});
  }
}

void RootBuilder::mount_node_folder(const NodeFolder& node) {
  const std::string folder = node.folder.string();
  try {
    if (!find_in_root(node_.get(), folder) || find_in_root(container_.get(), node.file)) return;
    mount_line(roots(), {folder, folder, "", {"x-create=dir", "rbind", "ro", "nosuid", "nodev"}});
  } catch (const Error& error) {
    notes_.push_back(
        fmt::format("`{}` of this node is not in the container: {}", folder, error.what()));
  }
}

void RootBuilder::mount_driver() {
  Driver driver;
  if (wants_driver(merged(plan_.job, image_environment(), plan_.job_wins))) {
    driver = driver_for(roots());
  }
  library_folder_ = driver.extra_folder;
  std::vector<CachedLibrary> libraries;
  std::vector<std::string> reasons;
  const auto mount_or_note = [&](const MountLine& line) {
    try {
      mount_line(roots(), line);
      return true;
    } catch (const Error& error) {
      reasons.emplace_back(error.what());
      return false;
    }
  };
  for (const MountLine& line : driver.libraries) {
    if (!mount_or_note(line)) continue;
    libraries.push_back({std::filesystem::path(line.target).filename(), line.target});
  }
  for (const MountLine& line : driver.others) mount_or_note(line);
  if (!reasons.empty()) {
    notes_.push_back(fmt::format(
        "{} of the {} files of this node's GPU driver are not in the container: {}", reasons.size(),
        driver.libraries.size() + driver.others.size(), reasons.front()));
  }
  try {
    // An image with its C library elsewhere, or another one, has no use for a cache of ours.
    list_for_loader(libraries, driver.extra_folder.empty());
  } catch (const Error& error) {
    notes_.push_back(
        fmt::format("`ldconfig -p` does not list the node's GPU driver: {}", error.what()));
  }
}

void RootBuilder::enter() {
  if (!plan_.writable) {
    mount_attr attributes = {};
    attributes.attr_set = MOUNT_ATTR_RDONLY;
    if (::mount_setattr(AT_FDCWD, "/root", 0, &attributes, sizeof attributes) != 0) {
      throw_errno("cannot make the container read-only");
    }
  }
  if (::chdir("/root") != 0) throw_errno("cannot enter the container");
  pivot(".", ".");
  if (::umount2(".", MNT_DETACH) != 0) throw_errno("cannot leave the node's file systems");
  if (::chdir("/") != 0) throw_errno("cannot enter the container");
  node_.reset();
  container_.reset();
  loader_cache_ = {};
}

void RootBuilder::set_propagation() const {
  for (const MountRequest& mount : plan_.mounts) repeat_propagation(line_of(mount));
}

}  // namespace slipway::container
