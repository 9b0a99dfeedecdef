// Whose files take up the room of a file system. Only asked about a file system that is full.
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

// What ordinary users have there, by number.
struct FileOwners {
  std::map<uid_t, Share> users;
  bool is_whole = true;  // false: the deadline came before everything was counted

  Share all() const;
};

// How much is missing: counting stops when users' files explain it.
struct Missing {
  uint64_t bytes = 0, inodes = 0;
};

// Not an account of the system or of a package. Debian gives packages the uids 60000 to 64999, too
// (Debian Policy 9.2.2), munge and slurm among them.
bool is_ordinary_user(uid_t uid);

// Counts users' files in those of `folders` that are on the file system of `path`, and files that
// were removed but are still open (`processes` is /proc), until they explain what is missing, or
// `deadline` has passed. Follows no link and enters no other file system. A file counts for its
// owner, whatever its place and name.
FileOwners owners_of_files(const std::filesystem::path& path,
                           const std::vector<std::filesystem::path>& folders,
                           const std::filesystem::path& processes, Missing missing,
                           std::chrono::milliseconds deadline);

// "uid 1000 has 3200 files and 12 MiB, uid 1001 has 3 files and 9 MiB": the three with the most.
std::string words_of(const FileOwners& owners);

}  // namespace slipway::health
