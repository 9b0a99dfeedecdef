// Mounts in a container's root.
#include "spank-plugins/container/mounts.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "common/error.h"
#include "common/fd.h"
#include "common/text.h"
#include "spank-plugins/container/mount_words.h"
#include "spank-plugins/container/path_in_root.h"

namespace slipway::container {
namespace {

Fd open_on_node(const Roots& roots, const std::string& source) {
  if (!source.starts_with('/')) {
    throw Error(fmt::format("`{}` is not an absolute path", source));
  }
  open_how how = {};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT;
  Fd found(static_cast<int>(::syscall(SYS_openat2, roots.node, source.c_str(), &how, sizeof how)));
  if (!found) throw_errno(fmt::format("cannot open `{}` on this node", source));
  return found;
}

// A copy of what is mounted there, not yet part of any tree.
Fd copy_of(int source, bool recursive, const std::string& name) {
  constexpr unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH;
  Fd tree(::open_tree(source, "", flags | (recursive ? AT_RECURSIVE : 0)));
  // An ordinary user may not leave out what is mounted below: that would show what it hides.
  if (!tree && errno == EINVAL && !recursive) {
    tree = Fd(::open_tree(source, "", flags | AT_RECURSIVE));
  }
  if (!tree) throw_errno(fmt::format("cannot mount `{}`", name));
  return tree;
}

Fd new_file_system(const MountLine& line, const MountFlags& flags) {
  const Fd config(::fsopen(line.type.c_str(), FSOPEN_CLOEXEC));
  if (!config) throw_errno(fmt::format("cannot mount a file system of type `{}`", line.type));
  const auto check = [](int result, const std::string& option) {
    if (result != 0) throw_errno(fmt::format("cannot mount with `{}`", option));
  };
  check(::fsconfig(config.get(), FSCONFIG_SET_STRING, "source", line.source.c_str(), 0), "source");
  for (const std::string& option : flags.options) {
    const size_t equals = option.find('=');
    if (equals == std::string::npos) {
      check(::fsconfig(config.get(), FSCONFIG_SET_FLAG, option.c_str(), nullptr, 0), option);
    } else {
      check(::fsconfig(config.get(), FSCONFIG_SET_STRING, option.substr(0, equals).c_str(),
                       option.substr(equals + 1).c_str(), 0),
            option);
    }
  }
  check(::fsconfig(config.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0), line.type);
  Fd tree(::fsmount(config.get(), FSMOUNT_CLOEXEC, 0));
  if (!tree) throw_errno(fmt::format("cannot mount a file system of type `{}`", line.type));
  return tree;
}

int set_propagation(int folder, const char* path, unsigned how, const MountFlags& flags) {
  if (flags.propagation == 0) return 0;
  mount_attr attributes = {};
  attributes.propagation = flags.propagation;
  if (flags.propagation_recursive) how |= AT_RECURSIVE;
  return ::mount_setattr(folder, path, how, &attributes, sizeof attributes);
}

void set_attributes(int tree, const MountFlags& flags) {
  mount_attr attributes = {};
  attributes.attr_set = flags.set;
  attributes.attr_clr = flags.clear;
  const unsigned recursive = flags.recursive ? AT_RECURSIVE : 0;
  if ((flags.set | flags.clear) != 0 &&
      ::mount_setattr(tree, "", AT_EMPTY_PATH | recursive, &attributes, sizeof attributes) != 0) {
    throw_errno("cannot set the flags of the mount");
  }
  if (set_propagation(tree, "", AT_EMPTY_PATH, flags) != 0) {
    throw_errno("cannot set the propagation of the mount");
  }
}

// What is mounted there would hide the container from the rest of its own start.
void check_not_root(const Roots& roots, const MountLine& line, int target) {
  struct stat root = {}, place = {};
  if (::fstat(roots.container, &root) == 0 && ::fstat(target, &place) == 0 &&
      root.st_dev == place.st_dev && root.st_ino == place.st_ino) {
    throw Error(fmt::format("`{}` is the container's root", line.target));
  }
}

bool is_folder(int file) {
  struct stat info = {};
  return ::fstat(file, &info) == 0 && S_ISDIR(info.st_mode);
}

Fd target_of(const Roots& roots, const MountLine& line, MakeTarget make, bool folder) {
  if (make == MakeTarget::automatic) make = folder ? MakeTarget::folder : MakeTarget::file;
  const Missing missing = make == MakeTarget::folder ? Missing::becomes_folder
                          : make == MakeTarget::file ? Missing::becomes_file
                                                     : Missing::fails;
  Fd target = open_in_root(roots.container, line.target, missing);
  check_not_root(roots, line, target.get());
  if (is_folder(target.get()) != folder) {
    throw Error(fmt::format("`{}` is a {} in the container, `{}` is not", line.target,
                            folder ? "file" : "folder", line.source));
  }
  return target;
}

void unmount(const Roots& roots, const MountLine& line) {
  const Fd target = open_in_root(roots.container, line.target);
  check_not_root(roots, line, target.get());
  if (::umount2(name_of(target.get()).c_str(), MNT_DETACH) != 0) {
    throw_errno(fmt::format("cannot unmount `{}`", line.target));
  }
}

void mount_or_throw(const Roots& roots, const MountLine& line, const MountFlags& flags) {
  if (flags.kind == MountKind::unmount) return unmount(roots, line);
  Fd tree;
  bool folder = true;
  if (flags.kind == MountKind::bind) {
    const Fd source = open_on_node(roots, line.source);
    folder = is_folder(source.get());
    tree = copy_of(source.get(), flags.recursive, line.source);
  } else {
    tree = new_file_system(line, flags);
  }
  const Fd target = target_of(roots, line, flags.make, folder);
  set_attributes(tree.get(), flags);
  if (::move_mount(tree.get(), "", target.get(), "",
                   MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0) {
    throw_errno(fmt::format("cannot mount at `{}`", line.target));
  }
}

}  // namespace

MountLine line_of(const MountRequest& request) {
  MountLine line = {
      request.source, request.target.empty() ? request.source : request.target, "", {}};
  if (request.source == "tmpfs") {
    line.type = "tmpfs";
    line.flags = {"x-create=dir"};
  } else if (request.source == "umount") {
    line.flags = {"x-detach"};
  } else {
    line.flags = {"x-create=auto", "rbind"};
  }
  line.flags.insert(line.flags.end(), request.flags.begin(), request.flags.end());
  return line;
}

std::vector<MountLine> parse_fstab(std::string_view text, const Environment& job) {
  std::vector<MountLine> lines;
  int number = 0;
  for (const std::string& raw : split(text, '\n')) {
    ++number;
    std::vector<std::string> fields;
    std::string spaced = substituted(raw.substr(0, raw.find('#')), job);
    std::ranges::replace(spaced, '\t', ' ');
    for (const std::string& field : split(spaced, ' ')) {
      if (!field.empty() && field != "\r") fields.push_back(field);
    }
    if (fields.empty()) continue;
    MountLine line = {fields[0], fields[0], "", {}};
    size_t next = 1;
    // enroot: a field that is an option is not a target or a type.
    if (next < fields.size() && fields[next].starts_with('/')) line.target = fields[next++];
    if (next < fields.size() && !are_mount_words(fields[next])) line.type = fields[next++];
    if (next < fields.size()) line.flags = split(fields[next], ',');
    if (line.type.empty() && line.source == "tmpfs") line.type = "tmpfs";
    if (!line.target.starts_with('/')) {
      throw Error(fmt::format("/etc/fstab of the image, line {}: `{}` is not an absolute path",
                              number, line.target));
    }
    lines.push_back(line);
  }
  return lines;
}

void mount_line(const Roots& roots, const MountLine& line) {
  const std::string context = fmt::format("mount {} at {}", line.source, line.target);
  bool may_fail = false;
  try {
    const MountFlags flags = understand_flags(line.flags, line.type);
    may_fail = flags.may_fail;
    mount_or_throw(roots, line, flags);
  } catch (const Error& error) {
    if (!may_fail) throw error.within(context);
  }
}

void repeat_propagation(const MountLine& line) {
  const MountFlags flags = understand_flags(line.flags, line.type);
  const std::filesystem::path target = std::filesystem::path("/") / line.target;
  if (set_propagation(AT_FDCWD, target.c_str(), 0, flags) == 0) return;
  // A later mount has covered it.
  if (errno == EINVAL || errno == ENOENT || errno == ENOTDIR) return;
  throw_errno(fmt::format("cannot set the propagation of the mount at `{}`", line.target));
}

}  // namespace slipway::container
