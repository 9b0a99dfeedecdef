// Adds up users' files on a file system.
#include "launcher/health/file_owners.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <set>

#include "common/count.h"
#include "common/fd.h"
#include "common/text.h"

namespace slipway::health {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr uint64_t block = 512;  // st_blocks, stat(2)
constexpr size_t most_named = 3;
constexpr int deepest = 64;  // each level takes a file descriptor

class Count {
 public:
  Count(dev_t device, Missing missing, Clock::time_point end)
      : device_(device), missing_(missing), end_(end) {}

  // Whether users' files explain the missing space, or time is up.
  bool is_done() {
    if (Clock::now() > end_) owners.is_whole = false;
    return !owners.is_whole || (bytes_ >= missing_.bytes && inodes_ >= missing_.inodes);
  }

  bool is_on_it(const struct stat& info) const { return info.st_dev == device_; }

  void add(const struct stat& info) {
    if (!is_on_it(info)) return;
    if (info.st_nlink > 1 && !S_ISDIR(info.st_mode) && !linked_.insert(info.st_ino).second) return;
    const bool is_users = is_ordinary_user(info.st_uid);
    Share& share = is_users ? owners.users[info.st_uid] : owners.others;
    const uint64_t bytes = static_cast<uint64_t>(info.st_blocks) * block;
    share.bytes += bytes;
    ++share.inodes;
    if (!is_users) return;
    bytes_ += bytes;
    ++inodes_;
  }

  FileOwners owners;

 private:
  dev_t device_;
  Missing missing_;
  Clock::time_point end_;
  uint64_t bytes_ = 0, inodes_ = 0;
  std::set<ino_t> linked_;  // files with several hard links count once
};

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// Walks entry by entry, so that a folder of millions of files does not exceed the deadline, and
// relative to each folder, so that no path is too long.
void count_below(Fd folder, int depth, Count& count) {
  if (!folder) return;
  if (depth > deepest) {
    count.owners.is_whole = false;
    return;
  }
  const std::unique_ptr<DIR, CloseFolder> entries(::fdopendir(folder.get()));
  if (!entries) return;
  const int here = folder.release();  // closed with `entries`
  while (const dirent* const entry = ::readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    struct stat info = {};
    if (name == "." || name == "..") continue;
    if (count.is_done()) return;
    if (::fstatat(here, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    count.add(info);
    if (S_ISDIR(info.st_mode) && count.is_on_it(info)) {
      constexpr int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
      count_below(Fd(::openat(here, entry->d_name, flags)), depth + 1, count);
    }
  }
}

// Also adds files that were removed but are still open.
void count_unnamed(const fs::path& processes, Count& count) {
  std::set<std::pair<dev_t, ino_t>> seen;
  std::error_code gone;
  for (const auto& process : fs::directory_iterator(processes, gone)) {
    if (!to_number<int64_t>(process.path().filename().native())) continue;
    // No range-for: it throws if the process ends meanwhile.
    for (fs::directory_iterator file(process.path() / "fd", gone), end; file != end;
         file.increment(gone)) {
      if (count.is_done()) return;
      struct stat info = {};
      if (::stat(file->path().c_str(), &info) != 0 || info.st_nlink != 0) continue;
      if (seen.insert({info.st_dev, info.st_ino}).second) count.add(info);
    }
  }
}

}  // namespace

Share FileOwners::all() const {
  Share all;
  for (const auto& [uid, share] : users) {
    all.bytes += share.bytes;
    all.inodes += share.inodes;
  }
  return all;
}

bool is_ordinary_user(uid_t uid) {
  return (uid >= 1000 && uid < 60000) || uid >= 65534;
}

FileOwners owners_of_files(const fs::path& path, const std::vector<fs::path>& folders,
                           const fs::path& processes, Missing missing,
                           std::chrono::milliseconds deadline) {
  struct stat there = {};
  if (::stat(path.c_str(), &there) != 0) return {};
  Count count(there.st_dev, missing, Clock::now() + deadline);
  std::set<std::pair<dev_t, ino_t>> counted;  // /var/tmp may be another name of /tmp
  for (const fs::path& folder : folders) {
    struct stat info = {};
    // The folder itself may be a link made by root; links below it are not followed.
    if (::stat(folder.c_str(), &info) != 0 || !count.is_on_it(info)) continue;
    if (!counted.insert({info.st_dev, info.st_ino}).second) continue;
    count_below(Fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC)), 0,
                count);
  }
  if (!count.is_done()) count_unnamed(processes, count);
  return count.owners;
}

std::string words_of(const FileOwners& owners) {
  std::vector<std::pair<uid_t, Share>> users(owners.users.begin(), owners.users.end());
  std::ranges::stable_sort(users, [](const auto& a, const auto& b) {
    return std::pair(a.second.bytes >> 20, a.second.inodes) >
           std::pair(b.second.bytes >> 20, b.second.inodes);
  });
  std::vector<std::string> words;
  for (const auto& [uid, share] : users) {
    if (words.size() == most_named) break;
    words.push_back(fmt::format("uid {} has {} and {} MiB", uid, counted(share.inodes, "file"),
                                share.bytes >> 20));
  }
  return join(words, ", ");
}

}  // namespace slipway::health
