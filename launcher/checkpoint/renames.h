// Notices when a program renames step-N.tmp to step-N in its folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "common/fd.h"

namespace slipway::checkpoint {

struct NewStep {
  int64_t rank = 0, step = 0;
};

class Renames {
 public:
  Renames();  // throws Error

  int fd() const { return fd_.get(); }
  // Watches the folders of these ranks below `root`, and no others.
  void watch(const std::filesystem::path& root, const std::vector<int64_t>& ranks);
  // Since the last call. A folder that was made under its final name, or comes from elsewhere, is
  // not a step. Neither is what happened while the kernel's queue was full.
  std::vector<NewStep> read();

 private:
  struct Watched {
    int64_t rank = 0;
    std::string from;  // the last name that was renamed
    uint32_t cookie = 0;
  };
  Fd fd_;
  std::map<int, Watched> watched_;
};

}  // namespace slipway::checkpoint
