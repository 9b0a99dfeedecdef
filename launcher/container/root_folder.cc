// Writes into a root file system without leaving it.
#include "launcher/container/root_folder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "common/error.h"

namespace slipway::container {
namespace {

namespace fs = std::filesystem;

Fd open_in(const Fd& root, const fs::path& path, int flags) {
  open_how how = {};
  how.flags = static_cast<__u64>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  return Fd(static_cast<int>(
      ::syscall(SYS_openat2, root.get(), path.empty() ? "." : path.c_str(), &how, sizeof how)));
}

void write_all(const Fd& file, std::string_view text, const fs::path& path) {
  while (!text.empty()) {
    const ssize_t n = ::write(file.get(), text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_errno(fmt::format("cannot write {}", path.string()));
    text.remove_prefix(static_cast<size_t>(n));
  }
}

// Folders first, so that what is in them can be reached.
void add_rights(const fs::path& folder, mode_t to_folders, mode_t to_files) {
  struct stat own = {};
  if (::stat(folder.c_str(), &own) == 0 && (own.st_mode & to_folders) != to_folders) {
    ::chmod(folder.c_str(), (own.st_mode & 07777) | to_folders);
  }
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(folder, unreadable)) {
    struct stat info = {};
    if (::lstat(entry.path().c_str(), &info) != 0) continue;
    if (S_ISDIR(info.st_mode)) {
      add_rights(entry.path(), to_folders, to_files);
    } else if (S_ISREG(info.st_mode) && (info.st_mode & to_files) != to_files) {
      ::chmod(entry.path().c_str(), (info.st_mode & 07777) | to_files);
    }
  }
}

}  // namespace

RootFolder::RootFolder(fs::path folder)
    : folder_(std::move(folder)), root_(::open(folder_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
  if (!root_) throw_errno(fmt::format("cannot open {}", folder_.string()));
}

Fd RootFolder::open_folder(const fs::path& path) const {
  return open_in(root_, path.relative_path(), O_PATH | O_DIRECTORY);
}

void RootFolder::make_folders(const fs::path& path) const {
  fs::path made;
  for (const fs::path& part : path.relative_path()) {
    if (part.empty() || part == "." || part == "..") continue;
    const Fd parent = open_folder(made);
    if (!parent) throw_errno(fmt::format("cannot open /{} of the image", made.string()));
    made /= part;
    if (!open_folder(made) && ::mkdirat(parent.get(), part.c_str(), 0755) != 0) {
      throw_errno(fmt::format("cannot make /{} in the image", made.string()));
    }
  }
}

void RootFolder::replace_file(const fs::path& path, std::string_view text, unsigned mode) const {
  make_folders(path.parent_path());
  const Fd parent = open_folder(path.parent_path());
  const std::string name = path.filename().string();
  if (!parent || (::unlinkat(parent.get(), name.c_str(), 0) != 0 && errno != ENOENT)) {
    throw_errno(fmt::format("cannot replace {} of the image", path.string()));
  }
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const Fd file(::openat(parent.get(), name.c_str(), flags, mode));
  if (!file) throw_errno(fmt::format("cannot write {} of the image", path.string()));
  ::fchmod(file.get(), mode);
  write_all(file, text, path);
}

bool RootFolder::has(const fs::path& path) const {
  return static_cast<bool>(open_in(root_, path.relative_path(), O_PATH));
}

void RootFolder::make_readable() const {
  add_rights(folder_, 0700, 0400);
}

void remove_all_of(const fs::path& folder) noexcept {
  std::error_code error;
  fs::remove_all(folder, error);
  if (!error) return;
  try {
    add_rights(folder, 0700, 0);
  } catch (const std::exception&) {  // removes what it can
  }
  fs::remove_all(folder, error);
}

}  // namespace slipway::container
