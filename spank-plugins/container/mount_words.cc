// The words that mount(8) and enroot's fstab have for a mount.
#include "spank-plugins/container/mount_words.h"

#include <fmt/core.h>
#include <sys/mount.h>

#include <algorithm>
#include <map>

#include "common/error.h"
#include "common/text.h"
#include "spank-plugins/container/mounts.h"

namespace slipway::container {
namespace {

struct Attribute {
  uint64_t bit;
  bool on;
};

const std::map<std::string, Attribute> attributes = {{"ro", {MOUNT_ATTR_RDONLY, true}},
                                                     {"rw", {MOUNT_ATTR_RDONLY, false}},
                                                     {"nosuid", {MOUNT_ATTR_NOSUID, true}},
                                                     {"suid", {MOUNT_ATTR_NOSUID, false}},
                                                     {"nodev", {MOUNT_ATTR_NODEV, true}},
                                                     {"dev", {MOUNT_ATTR_NODEV, false}},
                                                     {"noexec", {MOUNT_ATTR_NOEXEC, true}},
                                                     {"exec", {MOUNT_ATTR_NOEXEC, false}},
                                                     {"nodiratime", {MOUNT_ATTR_NODIRATIME, true}},
                                                     {"diratime", {MOUNT_ATTR_NODIRATIME, false}}};

const std::map<std::string, uint64_t> access_times = {{"relatime", MOUNT_ATTR_RELATIME},
                                                      {"noatime", MOUNT_ATTR_NOATIME},
                                                      {"strictatime", MOUNT_ATTR_STRICTATIME}};

const std::map<std::string, uint64_t> propagations = {{"private", MS_PRIVATE},
                                                      {"shared", MS_SHARED},
                                                      {"slave", MS_SLAVE},
                                                      {"unbindable", MS_UNBINDABLE}};

const std::map<std::string, MakeTarget> targets = {{"x-create=auto", MakeTarget::automatic},
                                                   {"x-create=dir", MakeTarget::folder},
                                                   {"x-create=file", MakeTarget::file},
                                                   {"mkdir", MakeTarget::automatic}};

// What mount(8) accepts and an entry that is mounted once, now, by its owner has no use for.
const std::vector<std::string> without_effect = {
    "auto",    "defaults",   "group",  "noauto",     "nogroup",       "noowner",   "nouser",
    "nousers", "owner",      "user",   "users",      "silent",        "loud",      "async",
    "atime",   "norelatime", "nomand", "noiversion", "nostrictatime", "nolazytime"};

bool is_propagation(const std::string& word, MountFlags& flags) {
  const bool recursive = word.starts_with('r') && propagations.contains(word.substr(1));
  const auto found = propagations.find(recursive ? word.substr(1) : word);
  if (found == propagations.end()) return false;
  flags.propagation = found->second;
  flags.propagation_recursive = recursive;
  return true;
}

bool is_attribute(const std::string& word, MountFlags& flags) {
  if (const auto bit = attributes.find(word); bit != attributes.end()) {
    flags.set = bit->second.on ? flags.set | bit->second.bit : flags.set & ~bit->second.bit;
    return true;
  }
  if (const auto times = access_times.find(word); times != access_times.end()) {
    flags.clear = MOUNT_ATTR__ATIME;
    flags.set = (flags.set & ~static_cast<uint64_t>(MOUNT_ATTR__ATIME)) | times->second;
    return true;
  }
  return false;
}

bool is_ours(const std::string& word, MountFlags& flags) {
  if (const auto make = targets.find(word); make != targets.end()) {
    flags.make = make->second;
  } else if (word == "bind" || word == "rbind") {
    flags.recursive = word == "rbind";
  } else if (word == "x-detach") {
    flags.kind = MountKind::unmount;
  } else if (word == "nofail") {
    flags.may_fail = true;
  } else {
    return is_attribute(word, flags) || is_propagation(word, flags) ||
           std::ranges::find(without_effect, word) != without_effect.end();
  }
  return true;
}

}  // namespace

bool are_mount_words(const std::string& field) {
  MountFlags ignored;
  return field.find(',') != std::string::npos || is_ours(field, ignored);
}

MountFlags understand_flags(const std::vector<std::string>& words, std::string_view type) {
  MountFlags flags;
  const bool is_bind = type.empty() || type == "none" || type == "bind";
  flags.kind = is_bind ? MountKind::bind : MountKind::file_system;
  for (const std::string& word : words) {
    if (word.empty() || is_ours(word, flags)) continue;
    if (is_bind) throw Error(fmt::format("unknown mount flag `{}`", word));
    flags.options.push_back(word);
  }
  return flags;
}

}  // namespace slipway::container
