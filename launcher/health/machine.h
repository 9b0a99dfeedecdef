// Access to a machine: files, file systems, the kernel log and the clock. Tests use another root
// folder, or a fake machine.
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

// NVIDIA's driver creates a folder here for each GPU that it found: "0000:07:00.0".
inline constexpr const char* driver_gpus_folder = "/proc/driver/nvidia/gpus";

struct Space {
  uint64_t free_bytes = 0;       // available to root
  uint64_t user_free_bytes = 0;  // available to everyone
  uint64_t total_bytes = 0;
  uint64_t free_inodes = 0, total_inodes = 0;  // 0 of 0 if the file system has no inode counts
  bool for_everybody = false;  // everyone may write to the folder, or a user owns it
  bool read_only = false;
  bool is_memory = false;  // the root of a file system in memory
};

struct ClockState {
  bool synchronized = false;
  double offset_ms = 0;
};

class Machine {
 public:
  explicit Machine(std::filesystem::path root = "/") : root_(std::move(root)) {}
  virtual ~Machine() = default;

  // A file's content without trailing white space; empty if it cannot be read.
  std::optional<std::string> read(const std::filesystem::path& path) const;

  // The same, as a number.
  std::optional<int64_t> number(const std::filesystem::path& path) const;

  // Identifies this boot: the kernel's boot id and the start time of PID 1, because a container or
  // a node of a local cluster restarts without its kernel. The latter's clock begins at 0 each
  // time, so the clock's offset from the kernel's is added.
  std::string boot() const;

  // Where a link of /sys leads, seen from the machine's root; empty if it leads nowhere.
  std::filesystem::path target(const std::filesystem::path& link) const;

  // The names in a folder, sorted; empty if it is not a folder.
  std::vector<std::string> names(const std::filesystem::path& folder) const;

  // Which of these names running processes have, except those of ordinary users. Users can choose
  // names and, with prctl(2) and setuid programs, also who owns a process's files in /proc, so this
  // looks at the user who runs the process.
  std::set<std::string> daemons(const std::set<std::string>& names_wanted) const;

  // Whether a process was killed and has not ended, since the kernel waits for a device or a
  // server.
  bool has_unkillable() const;

  // The kernel's own records after the one with this number. Empty if we may not read them.
  std::optional<std::vector<KernelRecord>> kernel_log(int64_t after) const;

  virtual std::optional<Space> space(const std::filesystem::path& path) const;
  virtual std::optional<ClockState> clock() const;

  // Whose files fill the file system of `path`; stops counting once they explain what is missing.
  virtual FileOwners owners_of_files(const std::filesystem::path& path,
                                     const std::vector<std::string>& folders,
                                     Missing missing) const;

 private:
  std::vector<std::filesystem::path> processes() const;  // their folders in /proc
  std::filesystem::path at(const std::filesystem::path& path) const {
    return root_ / path.relative_path();
  }
  std::filesystem::path root_;
};

}  // namespace slipway::health
