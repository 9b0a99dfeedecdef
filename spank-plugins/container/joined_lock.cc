// Tells a container's keeper whether other steps are in the container.
#include "spank-plugins/container/joined_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "common/error.h"

namespace slipway::container {
namespace {

// Locks of the open file, which end with it and its copies: fcntl(2). `command` is F_OFD_….
bool lock(const Fd& file, int command, short type) {
  struct flock all = {};
  all.l_type = type;
  all.l_whence = SEEK_SET;
  int result = 0;
  do {
    result = ::fcntl(file.get(), command, &all);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

// F_RDLCK, F_WRLCK or F_UNLCK
short locks_of_others(const Fd& file) {
  struct flock all = {};
  all.l_type = F_WRLCK;
  all.l_whence = SEEK_SET;
  return ::fcntl(file.get(), F_OFD_GETLK, &all) == 0 ? all.l_type : static_cast<short>(F_UNLCK);
}

bool others_have_locks(const Fd& file) {
  return locks_of_others(file) != F_UNLCK;
}

}  // namespace

JoinedLock::JoinedLock(const std::filesystem::path& file)
    : file_(::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)) {
  if (!file_) throw_errno("cannot open " + file.string());
}

bool JoinedLock::join() {
  return lock(file_, F_OFD_SETLK, F_RDLCK);
}

bool JoinedLock::leave() {
  char mark = 0;
  const bool ends = ::pread(file_.get(), &mark, 1, 0) == 1 && !others_have_locks(file_);
  lock(file_, F_OFD_SETLK, F_UNLCK);
  return ends;
}

bool JoinedLock::has_steps() const {
  return others_have_locks(file_);
}

bool JoinedLock::is_joined() const {
  return locks_of_others(file_) == F_RDLCK;
}

void JoinedLock::begin() {
  if (file_ && ::ftruncate(file_.get(), 0) != 0) throw_errno("cannot empty a file");
}

void JoinedLock::wait_for_steps() {
  if (!file_ || lock(file_, F_OFD_SETLK, F_WRLCK)) return;
  // For leave(): the container has outlived its own step.
  [[maybe_unused]] const ssize_t n = ::pwrite(file_.get(), "+", 1, 0);
  lock(file_, F_OFD_SETLKW, F_WRLCK);
}

}  // namespace slipway::container
