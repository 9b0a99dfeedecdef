// Writes new files, and syncs them together.
#include "launcher/google/new_files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <thread>

#include "common/error.h"
#include "common/fd.h"

namespace slipway::google {
namespace {

namespace fs = std::filesystem;

constexpr size_t most_threads = 16;

void write_all(const Fd& file, std::string_view text, const fs::path& path) {
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_errno(fmt::format("cannot write {}", path.string()));
    text.remove_prefix(static_cast<size_t>(written));
  }
}

// 0, or errno.
int sync_file(const fs::path& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  return file && ::fsync(file.get()) == 0 ? 0 : errno;
}

}  // namespace

void NewFiles::write(const fs::path& path, std::string_view text, mode_t mode) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) throw_errno(fmt::format("cannot create {}", path.string()));
  // Not as the umask has it.
  if (::fchmod(file.get(), mode) != 0) throw_errno(fmt::format("cannot change {}", path.string()));
  write_all(file, text, path);
  paths_.push_back(path);
}

void NewFiles::sync() const {
  std::atomic<size_t> next = 0;
  std::atomic<int> failed = 0;
  const auto work = [&] {
    for (size_t i = next++; i < paths_.size(); i = next++) {
      if (const int error = sync_file(paths_[i]); error != 0) failed = error;
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 0; i < std::min(most_threads, paths_.size()); ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  if (failed != 0) throw_errno("cannot write to the disk", failed);
}

}  // namespace slipway::google
