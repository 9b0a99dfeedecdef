// The file of this process, HOST-pidPID.log in the folder that NCCL_INSPECTOR_DUMP_DIR names.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>

#include "spank-plugins/nccl_profiler/line.h"

namespace slipway::nccl_profiler {

// It starts again at this size: the end tells more about a hang than the begin.
constexpr int64_t largest_file = int64_t{64} << 20;

class DumpFile {
 public:
  // Reads the environment and makes the folder. False, with `why` and errno: it cannot.
  bool prepare(const char*& why);

  const char* path() const { return path_; }
  const Author& author() const { return author_; }

  // Adds whole lines. Open only meanwhile: a program may close all descriptors that it does not
  // know, and the number may then be that of its own file.
  bool open(const char*& why, int64_t limit = largest_file);
  bool write(const char* data, size_t size, const char*& why);
  void close();

 private:
  char path_[PATH_MAX] = {};
  Author author_ = {};
  int file_ = -1;
};

}  // namespace slipway::nccl_profiler
