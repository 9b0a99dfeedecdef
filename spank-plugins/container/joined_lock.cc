// Tells a container's keeper whether other steps are in the container.
#include "spank-plugins/container/joined_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include "common/error.h"
#include "common/file_lock.h"

namespace slipway::container {
namespace {

bool others_have_locks(const Fd& file) {
  return locks_of_others(file) != F_UNLCK;
}

}  // namespace

JoinedLock::JoinedLock(const std::filesystem::path& file)
    : file_(::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)) {
  if (!file_) throw_errno("cannot open " + file.string());
}

bool JoinedLock::join() {
  return try_lock(file_, F_RDLCK);
}

bool JoinedLock::leave() {
  char mark = 0;
  const bool ends = ::pread(file_.get(), &mark, 1, 0) == 1 && !others_have_locks(file_);
  try_lock(file_, F_UNLCK);
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
  if (!file_ || try_lock(file_, F_WRLCK)) return;
  // For leave(): the container has outlived its own step.
  [[maybe_unused]] const ssize_t n = ::pwrite(file_.get(), "+", 1, 0);
  wait_for_lock(file_, F_WRLCK);
}

}  // namespace slipway::container
