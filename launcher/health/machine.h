// The edge between the checks and a machine: files, file systems, the kernel's log and clock. Tests
// give it another root, or a machine of their own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launcher/health/kernel_log.h"

namespace slipway::health {

struct Space {
  uint64_t free_bytes = 0;       // that root can write
  uint64_t user_free_bytes = 0;  // that everybody can write
  uint64_t total_bytes = 0;
  uint64_t free_inodes = 0, total_inodes = 0;  // 0 of 0 where the file system does not count them
  bool for_everybody = false;                  // the folder is one that everybody may write to
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

  // What is in a folder, sorted; nothing when it is none.
  std::vector<std::string> names(const std::filesystem::path& folder) const;

  // Names of programs that run and are not an ordinary user's.
  std::vector<std::string> daemons() const;

  // What the kernel itself has said after the record of this number. Nothing where we may not read
  // it.
  std::optional<std::vector<KernelRecord>> kernel_log(int64_t after) const;

  virtual std::optional<Space> space(const std::filesystem::path& path) const;
  virtual std::optional<ClockState> clock() const;

 private:
  std::filesystem::path at(const std::filesystem::path& path) const {
    return root_ / path.relative_path();
  }
  std::filesystem::path root_;
};

}  // namespace slipway::health
