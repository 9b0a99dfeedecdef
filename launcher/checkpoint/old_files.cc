// Keeps the files of copies for the next copies.
#include "launcher/checkpoint/old_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iterator>
#include <system_error>

#include "common/fd.h"

namespace slipway::checkpoint {
namespace {

namespace fs = std::filesystem;

// Whether this file of `size_bytes` has memory for all of them, one name, and nobody else who has
// it open or mapped: only then does the kernel grant the lease.
bool is_ours_alone(int file, int64_t size_bytes) {
  constexpr int64_t block_bytes = 512;
  struct stat info = {};
  if (::fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_nlink != 1) return false;
  if (info.st_size != size_bytes || info.st_blocks * block_bytes < size_bytes) return false;
  if (::fcntl(file, F_SETLEASE, F_WRLCK) != 0) return false;
  ::fcntl(file, F_SETLEASE, F_UNLCK);
  return true;
}

bool make_usable(const fs::path& path, int64_t old_bytes, int64_t new_bytes) {
  const Fd file(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file || !is_ours_alone(file.get(), old_bytes)) return false;
  return old_bytes <= new_bytes || ::ftruncate(file.get(), static_cast<off_t>(new_bytes)) == 0;
}

}  // namespace

void OldFiles::keep(const fs::path& step, const Manifest& manifest) {
  for (const StepFile& file : manifest.files) {
    if (file.size_bytes < least_bytes) continue;
    const fs::path place = folder_ / std::to_string(names_++);
    std::error_code gone;
    fs::rename(step / file.path, place, gone);
    if (gone) continue;
    files_.emplace(file.size_bytes, place);
    bytes_ += file.size_bytes;
  }
}

fs::path OldFiles::forget(Files::iterator file) {
  fs::path path = std::move(file->second);
  bytes_ -= file->first;
  files_.erase(file);
  return path;
}

// Steps of a training are almost equally large. What is cut is freed at once, so it is little.
bool OldFiles::take(int64_t size_bytes, const fs::path& to) {
  for (;;) {
    const auto above = files_.upper_bound(size_bytes + least_bytes);
    if (above == files_.begin()) return false;
    const auto found = std::prev(above);
    const int64_t old_bytes = found->first;
    if (old_bytes < size_bytes / 2) return false;
    const fs::path path = forget(found);
    std::error_code error;
    if (make_usable(path, old_bytes, size_bytes)) {
      fs::rename(path, to, error);
      if (!error) return true;
    }
    fs::remove(path, error);
  }
}

bool OldFiles::give_up(const fs::path& to) {
  if (files_.empty()) return false;
  std::error_code gone;
  fs::rename(forget(files_.begin()), to, gone);
  return true;
}

}  // namespace slipway::checkpoint
