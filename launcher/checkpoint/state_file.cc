// Writes what programs may ask for.
#include "launcher/checkpoint/state_file.h"

#include <fmt/core.h>
#include <unistd.h>

#include "common/error.h"
#include "common/file.h"
#include "launcher/checkpoint_library/state_file.h"

namespace slipway::checkpoint {

std::filesystem::path state_path(const std::filesystem::path& root) {
  return root / "state";
}

void StateFile::complete(int64_t step) {
  const std::lock_guard lock(mutex_);
  if (off_) return;
  // Removes what is no longer true, even if nothing can be written.
  if (step < step_) ::unlink(path_.c_str());
  step_ = step;
  write();
}

void StateFile::turn_off() {
  const std::lock_guard lock(mutex_);
  off_ = true;
  ::unlink(path_.c_str());
  write();
}

void StateFile::retry() {
  const std::lock_guard lock(mutex_);
  if (is_due_) write();
}

void StateFile::write() try {
  is_due_ = true;
  const std::string state = off_ ? state_off : fmt::format("{}{}\n", state_complete, step_);
  write_file(path_, state_version + state, 0600);
  is_due_ = false;
} catch (const Error&) {
  // Later.
}

}  // namespace slipway::checkpoint
