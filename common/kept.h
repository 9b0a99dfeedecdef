// Keeps what was read from files for as long as they do not change: a language server and a watcher
// need the same files many times.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

namespace slipway {

// Names, times and sizes of the files in a folder; empty if it cannot be read.
using FolderState =
    std::map<std::string, std::pair<std::filesystem::file_time_type, std::uintmax_t>>;

inline FolderState state_of(const std::filesystem::path& folder) {
  FolderState state;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(folder, error)) {
    std::error_code gone;
    state[file.path().string()] = {file.last_write_time(gone), file.file_size(gone)};
  }
  return state;
}

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
