// Whose files take up the room of a file system: asked only of one that is full.
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
  bool is_whole = true;  // false: there was more than there was time for

  Share all() const;
};

// How many of what is missing: nobody counts further than that.
struct Missing {
  uint64_t bytes = 0, inodes = 0;
};

// Not of the system, nor of a package: uid 60000 to 64999 are Debian's for those (Debian
// Policy 9.2.2), munge and slurm among them.
bool is_ordinary_user(uid_t uid);

// Counts users' files in those of `folders` that are on the file system of `path`, and those that
// have no name any more but are open (below `processes`, which is /proc), until they explain what
// is missing, or `deadline` has passed. Follows no link and enters no other file system. A file
// counts for its owner, wherever it is and whatever it is called.
FileOwners owners_of_files(const std::filesystem::path& path,
                           const std::vector<std::filesystem::path>& folders,
                           const std::filesystem::path& processes, Missing missing,
                           std::chrono::milliseconds deadline);

// "uid 1000 has 3200 files and 12 MiB, uid 1001 has 3 files and 9 MiB": the three with the most.
std::string words_of(const FileOwners& owners);

}  // namespace slipway::health
