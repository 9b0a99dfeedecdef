// Finds out whose files fill a file system. Used only if it is full.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace slipway::health {

struct Share {
  uint64_t bytes = 0, inodes = 0;
};

// Ordinary users' files, by uid.
struct FileOwners {
  std::map<uid_t, Share> users;
  bool is_whole = true;  // false: the deadline passed before all was counted
  Share others = {};     // of system accounts, in the same folders

  Share all() const;
};

// How much space is missing: counting stops once users' files explain it.
struct Missing {
  uint64_t bytes = 0, inodes = 0;
};

// Whether a uid is not a system account. Debian also gives packages the uids 60000 to 64999 (Debian
// Policy 9.2.2), munge and slurm among them.
bool is_ordinary_user(uid_t uid);

// Adds up files in those of `folders` that are on the file system of `path`, and files that
// were removed but are still open (`processes` is /proc), until they explain what is missing or
// `deadline` has passed. Follows no links and enters no other file system. A file counts for its
// owner, whatever its path.
FileOwners owners_of_files(const std::filesystem::path& path,
                           const std::vector<std::filesystem::path>& folders,
                           const std::filesystem::path& processes, Missing missing,
                           std::chrono::milliseconds deadline);

// "uid 1000 has 3200 files and 12 MiB, uid 1001 has 3 files and 9 MiB": the three largest users.
std::string words_of(const FileOwners& owners);

}  // namespace slipway::health
