// Files of copies that nobody needs any longer: the next copies are written over them, because the
// kernel takes longer to find new memory than to receive what comes into it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "launcher/checkpoint/messages.h"

namespace slipway::checkpoint {

class OldFiles {
 public:
  // Smaller ones are not worth a look.
  static constexpr int64_t least_bytes = piece_bytes;

  // Keeps them in `folder`, which has to be on the file system of the steps.
  explicit OldFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // How much memory they take.
  int64_t bytes() const { return bytes_; }

  // Takes the large files out of a step, which is useless then. No program may have seen it.
  void keep(const std::filesystem::path& step, const Manifest& manifest);

  // Moves a file to `to` of which a file with this size may use the memory, and cuts what is more.
  // False if no file is near this size, or if others have it open or have a link to it.
  bool take(int64_t size_bytes, const std::filesystem::path& to);

  // Moves the smallest file to `to`. False if no file is left.
  bool give_up(const std::filesystem::path& to);

 private:
  using Files = std::multimap<int64_t, std::filesystem::path>;  // by size
  std::filesystem::path forget(Files::iterator file);

  const std::filesystem::path folder_;
  Files files_;
  int64_t bytes_ = 0;
  int64_t names_ = 0;
};

}  // namespace slipway::checkpoint
