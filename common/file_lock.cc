// A file lock that is released when its holder ends.
#include "common/file_lock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "common/error.h"

namespace slipway {
namespace {

struct flock whole_file(short type) {
  struct flock all = {};
  all.l_type = type;
  all.l_whence = SEEK_SET;
  return all;
}

bool lock(const Fd& file, int command, short type) {
  struct flock all = whole_file(type);
  int result = 0;
  do {
    result = ::fcntl(file.get(), command, &all);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

}  // namespace

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

bool try_lock(const Fd& file, short type) {
  return lock(file, F_OFD_SETLK, type);
}

bool wait_for_lock(const Fd& file, short type) {
  return lock(file, F_OFD_SETLKW, type);
}

short locks_of_others(const Fd& file) {
  struct flock all = whole_file(F_WRLCK);
  return ::fcntl(file.get(), F_OFD_GETLK, &all) == 0 ? all.l_type : static_cast<short>(F_UNLCK);
}

}  // namespace slipway
