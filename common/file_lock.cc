// A file lock that is released when its holder ends.
#include "common/file_lock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>

#include <cerrno>
#include <thread>

#include "common/error.h"

namespace slipway {

Fd try_lock(const std::filesystem::path& path) {
  Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) throw_errno(fmt::format("cannot lock {}", path.string()));
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return file;
  if (errno != EWOULDBLOCK) throw_errno(fmt::format("cannot lock {}", path.string()));
  return {};
}

Fd lock_within(const std::filesystem::path& path, std::chrono::milliseconds limit) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + limit;
  for (;;) {
    Fd lock = try_lock(path);
    if (lock || Clock::now() >= end) return lock;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace slipway
