// The edge between the checks and a machine: files, file systems, the kernel's log and clock. Tests
// give it another root, or a machine of their own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launcher/health/file_owners.h"
#include "launcher/health/kernel_log.h"

namespace slipway::health {

// NVIDIA's driver has a folder here for each GPU that it has found: "0000:07:00.0".
inline constexpr const char* driver_gpus_folder = "/proc/driver/nvidia/gpus";

struct Space {
  uint64_t free_bytes = 0;       // that root can write
  uint64_t user_free_bytes = 0;  // that everybody can write
  uint64_t total_bytes = 0;
  uint64_t free_inodes = 0, total_inodes = 0;  // 0 of 0 where the file system does not count them
  bool for_everybody = false;  // everybody may write to the folder, or a user owns it
  bool read_only = false;
};

struct ClockState {
  bool synchronised = false;
  double offset_ms = 0;
};

class Machine {
 public:
  explicit Machine(std::filesystem::path root = "/") : root_(std::move(root)) {}
  virtual ~Machine() = default;

  // A file without the white space at its end; nothing when it cannot be read.
  std::optional<std::string> read(const std::filesystem::path& path) const;

  // The same as a number.
  std::optional<int64_t> number(const std::filesystem::path& path) const;

  // The names in a folder, sorted; nothing when it is not a folder.
  std::vector<std::string> names(const std::filesystem::path& folder) const;

  // Those of these names that running programs have which are not an ordinary user's. Users choose
  // names, and with prctl(2) and programs of root's also who owns a process's files in /proc: what
  // counts is the user who runs it.
  std::set<std::string> daemons(const std::set<std::string>& names_wanted) const;

  // What the kernel itself has said after the record of this number. Nothing where we may not read
  // it.
  std::optional<std::vector<KernelRecord>> kernel_log(int64_t after) const;

  virtual std::optional<Space> space(const std::filesystem::path& path) const;
  virtual std::optional<ClockState> clock() const;

  // Whose files fill the file system of `path`; counts until they explain what is missing.
  virtual FileOwners owners_of_files(const std::filesystem::path& path,
                                     const std::vector<std::string>& folders,
                                     Missing missing) const;

 private:
  std::filesystem::path at(const std::filesystem::path& path) const {
    return root_ / path.relative_path();
  }
  std::filesystem::path root_;
};

}  // namespace slipway::health
