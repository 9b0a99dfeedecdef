// Manages the files that users may fill for root.
#include "launcher/health/slots.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <memory>

#include "common/error.h"

namespace slipway::health {
namespace {

constexpr const char* free_prefix = "free-";
constexpr int slot_patience_ms = 200;  // for another root process

// A file that only root can open: a user who could lock it would keep others from their slots.
constexpr const char* lock_name = ".lock";

Fd lock_slots(const Fd& folder) {
  Fd file(::openat(folder.get(), lock_name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  for (int waited_ms = 0; file && waited_ms < slot_patience_ms; waited_ms += 10) {
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return file;
    ::usleep(10'000);
  }
  return {};
}

off_t slot_bytes() {
  return ::sysconf(_SC_PAGESIZE);
}

Fd make_free_slot(const Fd& folder, const std::string& name) {
  Fd slot(::openat(folder.get(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                   0600));
  if (!slot || reset_slot(slot)) return slot;
  ::unlinkat(folder.get(), name.c_str(), 0);
  return {};
}

// A name that no free slot has, although names of slots are numbers, too.
std::string new_free_name(const Fd& folder) {
  for (int i = 0;; ++i) {
    std::string name = fmt::format("{}{:02}", free_prefix, i);
    if (::faccessat(folder.get(), name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) != 0) return name;
  }
}

Fd open_at_once(const Fd& folder, const std::string& name, int flags) {
  // O_NONBLOCK: a user's lease makes other opens wait.
  return Fd(::openat(folder.get(), name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
}

// Whether nobody else has it open: only then does the kernel grant the lease. Those who only read
// it do not matter if everyone may.
bool is_left_alone(const Fd& folder, const std::string& name, bool readable) {
  const Fd slot = open_at_once(folder, name, O_RDONLY);
  if (!slot || ::fcntl(slot.get(), F_SETLEASE, readable ? F_RDLCK : F_WRLCK) != 0) return false;
  ::fcntl(slot.get(), F_SETLEASE, F_UNLCK);
  return true;
}

// Makes a slot root's own. False if its user still has a way to it.
bool make_own(const Fd& folder, const std::string& name) {
  struct stat info = {};
  const Fd slot = open_slot(folder, name, O_RDONLY, info);
  return slot && ::fchown(slot.get(), ::geteuid(), static_cast<gid_t>(-1)) == 0 &&
         ::fchmod(slot.get(), 0600) == 0;
}

// Takes a slot from its user. A file that is open keeps its room after its removal: it is
// used again, if that is safe. Otherwise a new one takes its place, now or in refill_slots().
std::string take_slot(const Fd& folder, const std::string& name) {
  struct stat info = {};
  if (::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return "";
  const std::string freed = new_free_name(folder);
  const bool readable = (info.st_mode & S_IROTH) != 0;
  if (make_own(folder, name) && is_left_alone(folder, name, readable)) {
    const Fd slot = open_at_once(folder, name, O_RDWR);
    if (slot && reset_slot(slot) &&
        ::renameat(folder.get(), name.c_str(), folder.get(), freed.c_str()) == 0) {
      return freed;
    }
  }
  if (::unlinkat(folder.get(), name.c_str(), 0) != 0) return "";
  return make_free_slot(folder, freed) ? freed : "";
}

// Replaces slots that were removed when there was no room for a new one.
void refill_slots(const Fd& folder, std::vector<std::string>& names) {
  while (names.size() < most_slots) {
    const std::string name = new_free_name(folder);
    if (!make_free_slot(folder, name)) return;
    names.push_back(name);
  }
}

// Takes the least recently changed slot.
std::string take_oldest_slot(const Fd& folder, const std::vector<std::string>& names) {
  std::string oldest;
  std::time_t since = 0;
  for (const std::string& name : names) {
    struct stat info = {};
    if (::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!oldest.empty() && info.st_ctime >= since) continue;
    oldest = name;
    since = info.st_ctime;
  }
  return oldest.empty() ? "" : take_slot(folder, oldest);
}

bool give_free_slot(const Fd& folder, const std::string& free, const std::string& name, uid_t user,
                    bool readable) {
  const Fd slot(::openat(folder.get(), free.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  return slot && ::fchmod(slot.get(), readable ? 0644 : 0600) == 0 &&
         ::fchown(slot.get(), user, static_cast<gid_t>(-1)) == 0 &&
         ::renameat(folder.get(), free.c_str(), folder.get(), name.c_str()) == 0;
}

}  // namespace

std::string slots_mount_options(mode_t mode) {
  // Two more inodes, for the folder itself and the lock.
  return fmt::format("mode={:04o},size={},nr_inodes={}", mode, most_slots * slot_bytes(),
                     most_slots + 2);
}

void prepare_slots(const std::filesystem::path& folder) {
  const Fd fd = open_slots(folder);
  if (!fd || !lock_slots(fd)) throw_errno(fmt::format("cannot write to {}", folder.native()));
  for (int i = 0; i < most_slots; ++i) {
    if (!make_free_slot(fd, fmt::format("{}{:02}", free_prefix, i))) {
      throw_errno(fmt::format("cannot create a file in {}", folder.native()));
    }
  }
}

bool assign_slot(const std::filesystem::path& folder, const std::string& name, uid_t user,
                 bool readable) {
  const Fd fd = open_slots(folder);
  struct stat info = {};
  if (!fd) return false;
  if (open_slot(fd, name, O_RDONLY, info) && info.st_uid == user) return true;
  const Fd lock = lock_slots(fd);
  if (!lock) return false;
  std::vector<std::string> names = slot_names(fd);
  refill_slots(fd, names);
  const auto slot = std::ranges::find_if(names, is_free_slot);
  const std::string free = slot != names.end() ? *slot : take_oldest_slot(fd, names);
  return !free.empty() && give_free_slot(fd, free, name, user, readable);
}

void release_slot(const std::filesystem::path& folder, const std::string& name) {
  const Fd fd = open_slots(folder);
  if (!fd || is_free_slot(name)) return;
  if (const Fd lock = lock_slots(fd)) take_slot(fd, name);
}

bool write_slot(const std::filesystem::path& file, std::string text) {
  if (text.size() > largest_slot_text) return false;
  text.resize(largest_slot_text, '\0');
  const Fd slot(::open(file.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return slot &&
         ::pwrite(slot.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

Fd open_slots(const std::filesystem::path& folder) {
  return Fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

std::vector<std::string> slot_names(const Fd& folder) {
  std::vector<std::string> names;
  Fd own(::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(own ? ::fdopendir(own.get()) : nullptr,
                                                    ::closedir);
  if (!entries) return names;
  own.release();  // now owned by the stream
  while (const dirent* const entry = ::readdir(entries.get())) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  std::ranges::sort(names);
  return names;
}

bool is_free_slot(const std::string& name) {
  return name.starts_with(free_prefix);
}

Fd open_slot(const Fd& folder, const std::string& name, int flags, struct stat& info) {
  Fd slot(::openat(folder.get(), name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  const bool is = slot && ::fstat(slot.get(), &info) == 0 && S_ISREG(info.st_mode);
  return is ? std::move(slot) : Fd();
}

std::string read_slot(const Fd& slot) {
  std::array<char, largest_slot_text> text;
  const ssize_t read = ::pread(slot.get(), text.data(), text.size(), 0);
  const size_t length = read <= 0 ? 0 : ::strnlen(text.data(), static_cast<size_t>(read));
  return {text.data(), length};
}

bool reset_slot(const Fd& slot) {
  const std::string nothing(static_cast<size_t>(slot_bytes()), '\0');
  return ::ftruncate(slot.get(), slot_bytes()) == 0 &&
         ::fallocate(slot.get(), 0, 0, slot_bytes()) == 0 &&
         ::pwrite(slot.get(), nothing.data(), nothing.size(), 0) ==
             static_cast<ssize_t>(nothing.size());
}

bool is_whole_slot(const struct stat& info) {
  return info.st_size == slot_bytes() && info.st_blocks * 512 >= slot_bytes();
}

}  // namespace slipway::health
