// Manages the files in which users leave reports for root.
#include "launcher/health/report_slots.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <memory>
#include <optional>

#include "common/error.h"
#include "common/fd.h"
#include "common/text.h"

namespace slipway::health {
namespace {

constexpr size_t largest_report = 512;
constexpr size_t most_reports = 4;  // per check; each is a line in the verdict
constexpr const char* free_prefix = "free-";
constexpr int patience_ms = 200;  // for another root process

Fd open_folder(const std::filesystem::path& folder) {
  return Fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// Users cannot open the folder, so only root's processes ever hold this lock.
bool lock(const Fd& folder) {
  for (int waited_ms = 0; waited_ms < patience_ms; waited_ms += 10) {
    if (::flock(folder.get(), LOCK_EX | LOCK_NB) == 0) return true;
    ::usleep(10'000);
  }
  return false;
}

off_t page() {
  return ::sysconf(_SC_PAGESIZE);
}

// Makes the file one empty, allocated page, whatever its user did to its size.
bool reset(const Fd& slot) {
  const std::string nothing(static_cast<size_t>(page()), '\0');
  return ::ftruncate(slot.get(), page()) == 0 && ::fallocate(slot.get(), 0, 0, page()) == 0 &&
         ::pwrite(slot.get(), nothing.data(), nothing.size(), 0) ==
             static_cast<ssize_t>(nothing.size());
}

Fd make_free_slot(const Fd& folder, const std::string& name) {
  Fd slot(::openat(folder.get(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                   0600));
  if (!slot || reset(slot)) return slot;
  ::unlinkat(folder.get(), name.c_str(), 0);
  return {};
}

// Opens a user's slot. The owner may hold a lease or a lock on it, so nothing here waits.
Fd open_slot(const Fd& folder, const std::string& name, struct stat& info) {
  Fd slot(::openat(folder.get(), name.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  const auto user = to_number<uid_t>(name);
  const bool is = slot && user && ::fstat(slot.get(), &info) == 0 && S_ISREG(info.st_mode) &&
                  info.st_uid == *user;
  return is ? std::move(slot) : Fd();
}

std::vector<std::string> names_in(const Fd& folder) {
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

// Takes the least recently changed slot from its user, and creates a new file: the user may still
// have the old one open.
std::string take_one(const Fd& folder, const std::vector<std::string>& names) {
  std::string oldest;
  std::time_t since = 0;
  for (const std::string& name : names) {
    struct stat info = {};
    if (::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!oldest.empty() && info.st_ctime >= since) continue;
    oldest = name;
    since = info.st_ctime;
  }
  if (oldest.empty() || ::unlinkat(folder.get(), oldest.c_str(), 0) != 0) return "";
  const std::string name = free_prefix + oldest;
  return make_free_slot(folder, name) ? name : "";
}

bool give(const Fd& folder, const std::string& name, uid_t user) {
  const Fd slot(::openat(folder.get(), name.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  return slot && ::fchown(slot.get(), user, static_cast<gid_t>(-1)) == 0 &&
         ::renameat(folder.get(), name.c_str(), folder.get(), std::to_string(user).c_str()) == 0;
}

// Returns nothing if the slot has no valid report.
std::optional<JobReport> read_slot(const Fd& slot, uid_t user, bool& is_empty) {
  std::array<char, largest_report> text;
  const ssize_t read = ::pread(slot.get(), text.data(), text.size(), 0);
  const size_t length = read <= 0 ? 0 : ::strnlen(text.data(), static_cast<size_t>(read));
  is_empty = length == 0;
  if (is_empty) return std::nullopt;
  try {
    return parse_report({text.data(), length}, user);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::string slots_mount_options() {
  // One more inode, for the folder itself.
  return fmt::format("mode=0711,size={},nr_inodes={}", most_slots * page(), most_slots + 1);
}

void prepare_slots(const std::filesystem::path& folder) {
  const Fd fd = open_folder(folder);
  if (!fd) throw_errno(fmt::format("cannot read {}", folder.native()));
  for (int i = 0; i < most_slots; ++i) {
    if (!make_free_slot(fd, fmt::format("{}{:02}", free_prefix, i))) {
      throw_errno(fmt::format("cannot create a file in {}", folder.native()));
    }
  }
}

bool give_slot(const std::filesystem::path& folder, uid_t user) {
  const Fd fd = open_folder(folder);
  struct stat info = {};
  if (!fd || open_slot(fd, std::to_string(user), info)) return static_cast<bool>(fd);
  if (!lock(fd)) return false;
  const std::vector<std::string> names = names_in(fd);
  const auto is_free = [](const std::string& name) { return name.starts_with(free_prefix); };
  auto slot = std::ranges::find_if(names, is_free);
  if (slot != names.end()) return give(fd, *slot, user);
  const std::string taken = take_one(fd, names);
  return !taken.empty() && give(fd, taken, user);
}

FoundReports find_reports(const std::filesystem::path& folder) {
  FoundReports found;
  const Fd fd = open_folder(folder);
  if (!fd) return found;
  for (const std::string& name : names_in(fd)) {
    struct stat info = {};
    const Fd slot = open_slot(fd, name, info);
    if (!slot) continue;
    bool is_empty = true;
    const auto report = read_slot(slot, info.st_uid, is_empty);
    const bool is_whole = info.st_size == page() && info.st_blocks * 512 >= page();
    if (report) {
      if (found.reports.size() == most_reports) continue;  // read it next time
      found.reports.push_back(*report);
    }
    if (!is_empty || !is_whole) found.to_empty.push_back(name);
  }
  return found;
}

void empty_slots(const std::filesystem::path& folder, const FoundReports& found) {
  if (found.to_empty.empty()) return;
  const Fd fd = open_folder(folder);
  struct stat info = {};
  // Two passes: slots that became longer give back the space that shortened ones need.
  for (int i = 0; fd && i < 2; ++i) {
    for (const std::string& name : found.to_empty) {
      if (const Fd slot = open_slot(fd, name, info)) reset(slot);
    }
  }
}

bool leave_report(const std::filesystem::path& folder, const JobReport& report) {
  std::string text = to_text(report);
  if (text.size() > largest_report) return false;
  text.resize(largest_report, '\0');
  const Fd slot(::open((folder / std::to_string(::geteuid())).c_str(),
                       O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return slot &&
         ::pwrite(slot.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

}  // namespace slipway::health
