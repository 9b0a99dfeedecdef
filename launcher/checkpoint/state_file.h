// Tells the programs of a node what is complete: launcher/checkpoint_library/state_file.h. Programs
// only read it, and it is never read here, so they cannot do anything with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>

namespace slipway::checkpoint {

// The file, for $SLIPWAY_CHECKPOINTS_STATE.
std::filesystem::path state_path(const std::filesystem::path& root);

// Threads share it.
class StateFile {
 public:
  explicit StateFile(const std::filesystem::path& root) : path_(state_path(root)) {}

  // Of all ranks; -1: none. Does nothing after turn_off().
  void complete(int64_t step);
  void turn_off();
  // Writes what could not be written before, such as when the memory was full. Until then programs
  // see an older step, so they only wait longer, or no file.
  void retry();

 private:
  void write();  // with the lock

  const std::filesystem::path path_;
  std::mutex mutex_;
  int64_t step_ = -1;
  bool off_ = false, is_due_ = false;
};

}  // namespace slipway::checkpoint
