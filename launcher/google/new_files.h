// Writes the files of a folder that nobody sees yet, and has them all on the disk before it is put
// in place.
#pragma once

#include <sys/types.h>
#include <filesystem>
#include <string_view>
#include <vector>

namespace slipway::google {

class NewFiles {
 public:
  // Throws Error if the file exists or cannot be written.
  void write(const std::filesystem::path& path, std::string_view text, mode_t mode);

  // Waits until what was written is on the disk. Several files at a time: a file system writes its
  // journal once for those that wait together, and that takes most of the time. Throws Error if the
  // disk fails.
  void sync() const;

 private:
  std::vector<std::filesystem::path> paths_;
};

}  // namespace slipway::google
