// pyxis's notation of images, mounts, names and lists.
#include "spank-plugins/container/notation.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"
#include "spank-plugins/container/mounts.h"

namespace slipway::container {
namespace {

// The longest path that Linux takes, with its final 0, and the longest name of a folder: limits.h.
constexpr size_t longest_path = 4095, longest_name = 200;
// The longest argument of a program: execve(2).
constexpr size_t longest_list = 128 << 10;

bool is_one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// A newline in a path would be a second line in a log, and of a file's format.
void check_text(std::string_view text, size_t longest = longest_path) {
  if (text.empty()) throw Error("needs a value");
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; };
  if (std::any_of(text.begin(), text.end(), is_control)) throw Error("has a control character");
  if (text.size() > longest) throw Error("is too long");
}

// How deep below the root a path is: 0 for the root itself; nothing if `..` leads out of it.
std::optional<int> depth_in_root(std::string_view path) {
  int depth = 0;
  for (const std::string& part : split(path, '/')) {
    if (part == "..") --depth;
    if (!part.empty() && part != "." && part != "..") ++depth;
    if (depth < 0) return std::nullopt;
  }
  return depth;
}

std::vector<std::string> parse_flags(std::string_view text, std::string_view mount) {
  std::vector<std::string> flags = split(text, '+');
  for (const std::string& flag : flags) {
    const bool valid = !flag.empty() && std::all_of(flag.begin(), flag.end(), [](char c) {
      return is_letter_or_digit(c) || is_one_of(c, "-_=.%");
    });
    if (!valid) {
      throw Error(
          fmt::format("`{}` has the wrong flag `{}`: flags are words joined by `+`, such "
                      "as `ro+rprivate`",
                      mount, flag));
    }
  }
  return flags;
}

// A word that a mount on the node would refuse, after the wait for the node. A file system has
// words of its own.
void check_flags(const MountRequest& mount, std::string_view text) {
  const MountLine line = line_of(mount);
  try {
    understand_flags(line.flags, line.type);
  } catch (const Error& error) {
    throw error.within(fmt::format("`{}`", text));
  }
}

// SRC, SRC:DST, SRC:DST: and SRC:DST:FLAGS
MountRequest parse_mount(std::string_view text) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.empty() || parts.size() > 3) {
    throw Error(fmt::format("`{}` is not SRC:DST[:FLAGS]", text));
  }
  MountRequest mount{parts[0], parts.size() > 1 ? parts[1] : parts[0], {}};
  if (mount.source.empty() || mount.target.empty()) {
    throw Error(fmt::format("`{}` is not SRC:DST[:FLAGS]", text));
  }
  if (!is_file(mount.source) && mount.source != "tmpfs" && mount.source != "umount") {
    throw Error(
        fmt::format("`{}` mounts `{}`, which is neither a path that begins with `/` or "
                    "`.`, nor `tmpfs` or `umount`",
                    text, mount.source));
  }
  if (!is_file(mount.target)) {
    throw Error(fmt::format("`{}` mounts at `{}`, which does not begin with `/` or `.`", text,
                            mount.target));
  }
  const std::optional<int> depth = depth_in_root(mount.target);
  if (!depth) throw Error(fmt::format("`{}` leads out of the container's root", mount.target));
  if (depth == 0) {
    throw Error(fmt::format("`{}` would replace the container's root: name a folder in it", text));
  }
  if (parts.size() == 3 && !parts[2].empty()) mount.flags = parse_flags(parts[2], text);
  check_flags(mount, text);
  return mount;
}

bool operator==(const MountRequest& a, const MountRequest& b) {
  return a.source == b.source && a.target == b.target && a.flags == b.flags;
}

template <class T>
void add_once(std::vector<T>& all, T one) {
  if (std::none_of(all.begin(), all.end(), [&](const T& other) { return other == one; })) {
    all.push_back(std::move(one));
  }
}

}  // namespace

bool is_file(std::string_view image) {
  return image.starts_with('.') || image.starts_with('/');
}

std::string registry_address(const std::string& image) {
  return image.find("://") == std::string::npos ? "docker://" + image : image;
}

std::string parse_image(std::string_view text) {
  check_text(text);
  if (text.starts_with('-')) throw Error(fmt::format("`{}` is not an image", text));
  return std::string(text);
}

std::vector<MountRequest> parse_mounts(std::string_view text) {
  check_text(text, longest_list);
  std::vector<MountRequest> mounts;
  for (const std::string& each : split(text, ',')) {
    if (each.empty()) throw Error(fmt::format("`{}` has an empty entry", text));
    check_text(each);
    add_once(mounts, parse_mount(each));
  }
  return mounts;
}

Name parse_name(std::string_view text) {
  check_text(text);
  const size_t colon = text.find(':');
  const std::string_view flag = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  Name name{std::string(text.substr(0, colon))};
  if (name.name.empty()) throw Error(fmt::format("`{}` has no name", text));
  const bool valid = std::all_of(name.name.begin(), name.name.end(), [](char c) {
    return is_letter_or_digit(c) || is_one_of(c, "_.+@=-") || static_cast<unsigned char>(c) >= 0x80;
  });
  if (!valid || name.name.starts_with('.') || name.name.size() > longest_name) {
    throw Error(
        fmt::format("`{}` is not a name: use letters, digits and `_+@=-.`, at most {}, "
                    "and no `.` at the beginning",
                    name.name, longest_name));
  }
  constexpr std::array<std::pair<std::string_view, Reuse>, 5> flags = {
      {{"", Reuse::automatic},
       {"auto", Reuse::automatic},
       {"create", Reuse::create},
       {"exec", Reuse::exec},
       {"no_exec", Reuse::no_exec}}};
  for (const auto& [word, reuse] : flags) {
    if (word != flag) continue;
    name.reuse = reuse;
    return name;
  }
  throw Error(fmt::format("`{}` is not a flag: use `auto`, `create`, `exec` or `no_exec`", flag));
}

std::vector<std::string> parse_variables(std::string_view text) {
  check_text(text, longest_list);
  std::vector<std::string> names;
  for (std::string& name : split(text, ',')) {
    const bool valid = !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
                       std::all_of(name.begin(), name.end(),
                                   [](char c) { return is_letter_or_digit(c) || c == '_'; });
    if (!valid) throw Error(fmt::format("`{}` is not the name of a variable", name));
    add_once(names, std::move(name));
  }
  return names;
}

std::vector<std::string> parse_unshared(std::string_view text) {
  check_text(text);
  std::vector<std::string> names;
  for (std::string& name : split(text, ',')) {
    if (name != "net" && name != "ipc" && name != "uts") {
      throw Error(fmt::format("unknown namespace `{}`: use `net`, `ipc` or `uts`", name));
    }
    add_once(names, std::move(name));
  }
  return names;
}

std::string parse_workdir(std::string_view text) {
  check_text(text);
  return std::string(text);
}

std::string parse_save(std::string_view text) {
  check_text(text);
  if (text.ends_with('/')) throw Error(fmt::format("`{}` is a folder, not a file", text));
  return std::string(text);
}

bool parse_yes(std::string_view text) {
  for (const char* yes : {"1", "true", "yes", "y"}) {
    if (text == yes) return true;
  }
  for (const char* no : {"0", "false", "no", "n"}) {
    if (text == no) return false;
  }
  throw Error(fmt::format("`{}` is neither yes nor no", text));
}

}  // namespace slipway::container
