// Keeps what was read from files for as long as they do not change: a language server and a watcher
// need the same files many times.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace slipway {

// What distinguishes two versions of a file.
struct FileState {
  int64_t seconds = 0, nanoseconds = 0;  // of its last change
  int64_t bytes = 0;
  bool operator==(const FileState&) const = default;
};

// All zero if the file does not exist.
FileState state_of_file(const std::filesystem::path& file);

// The files in a folder, by name; empty if it cannot be read.
using FolderState = std::map<std::string, FileState>;

FolderState state_of(const std::filesystem::path& folder);

// What was read from a folder. Threads can share one.
template <class T>
class Kept {
 public:
  // Reads the folder again if one of its files has another time or size than at the last call. If
  // `read` returns null or throws, nothing is kept.
  template <class Read>
  std::shared_ptr<const T> get(const std::filesystem::path& folder, Read read) {
    const FolderState now = state_of(folder);
    const std::lock_guard lock(mutex_);
    if (!kept_ || now.empty() || now != state_) {
      kept_ = nullptr;
      kept_ = read();
      state_ = now;
    }
    return kept_;
  }

 private:
  std::mutex mutex_;
  FolderState state_;
  std::shared_ptr<const T> kept_;
};

}  // namespace slipway
