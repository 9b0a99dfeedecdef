// Reads whole files, and writes whole files or nothing.
#include "common/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <limits>

#include <fmt/core.h>

#include "common/error.h"
#include "common/fd.h"
#include "common/text.h"

namespace slipway {

namespace {

// Reads to the end of the file, or until there are more than `limit` bytes.
std::string read_all(const Fd& file, const std::string& what, size_t limit) {
  std::string text;
  char buffer[1 << 16];
  while (text.size() <= limit) {
    const ssize_t n = ::read(file.get(), buffer, sizeof buffer);
    if (n == 0) break;
    if (n > 0) {
      text.append(buffer, static_cast<size_t>(n));
    } else if (errno != EINTR) {
      throw_errno(what);
    }
  }
  return text;
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  const std::string what = fmt::format("cannot read {}", path.string());
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw_errno(what);
  return read_all(file, what, std::numeric_limits<size_t>::max());
}

std::string read_regular_file(const std::filesystem::path& path, size_t limit) {
  const std::string what = fmt::format("cannot read {}", path.string());
  // O_NONBLOCK: the open of a pipe would wait for its other end.
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) throw_errno(what);
  struct stat info = {};
  if (::fstat(file.get(), &info) != 0) throw_errno(what);
  if (S_ISDIR(info.st_mode)) throw_errno(what, EISDIR);
  if (!S_ISREG(info.st_mode)) throw Error(what + ": not a regular file");
  std::string text = read_all(file, what, limit);
  if (text.size() > limit) {
    throw Error(fmt::format("{}: it has more than {} bytes", what, limit));
  }
  return text;
}

std::string last_lines_of(std::string_view output, size_t lines) {
  const std::string_view text = trim(output);
  if (text.empty()) return "nothing";
  const std::vector<std::string> all = split(text, '\n');
  const size_t first = all.size() - std::min(lines, all.size());
  return join(std::span(all).subspan(first), " … ");
}

std::string last_lines(const std::filesystem::path& log, size_t lines) {
  try {
    return last_lines_of(read_file(log), lines);
  } catch (const Error&) {
    return "nothing";  // the caller is about to report a worse error
  }
}

// `owner`: whose it has to be; null: ours.
static void write_as(const std::filesystem::path& path, std::string_view text, mode_t mode,
                     const struct stat* owner) {
  require_replaceable(path);
  const std::string what = fmt::format("cannot write {}", path.string());
  std::string temporary = path.string() + ".XXXXXX";
  Fd file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file) throw_errno(what);
  const auto give_up = [&] {
    const int code = errno;
    ::unlink(temporary.c_str());
    throw_errno(what, code);
  };
  // The owner comes first: changing it takes away some bits of the mode.
  if (owner && ::fchown(file.get(), owner->st_uid, owner->st_gid) != 0) give_up();
  if (::fchmod(file.get(), mode) != 0) give_up();
  while (!text.empty()) {
    const ssize_t n = ::write(file.get(), text.data(), text.size());
    if (n >= 0) {
      text.remove_prefix(static_cast<size_t>(n));
    } else if (errno != EINTR) {
      give_up();
    }
  }
  // Without this, a crash of the machine may leave an empty file after the rename.
  if (::fsync(file.get()) != 0) give_up();
  if (::close(file.release()) != 0) give_up();
  if (::rename(temporary.c_str(), path.c_str()) != 0) give_up();
}

void write_file(const std::filesystem::path& path, std::string_view text, mode_t mode) {
  write_as(path, text, mode, nullptr);
}

void replace_file(const std::filesystem::path& path, std::string_view text) {
  struct stat old {};
  if (::lstat(path.c_str(), &old) != 0) throw_errno(fmt::format("cannot write {}", path.string()));
  write_as(path, text, old.st_mode & 07777, &old);
}

void require_replaceable(const std::filesystem::path& path) {
  struct stat info = {};
  if (::lstat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode)) return;
  throw Error(fmt::format("cannot write {}: {}not a regular file", path.string(),
                          S_ISLNK(info.st_mode) ? "a symbolic link, " : ""));
}

void make_directories(const std::filesystem::path& path, mode_t mode) {
  if (path.empty() || std::filesystem::is_directory(path)) return;
  if (path.has_parent_path() && path.parent_path() != path)
    make_directories(path.parent_path(), mode);
  if (::mkdir(path.c_str(), mode) != 0 && errno != EEXIST) {
    throw_errno(fmt::format("cannot make directory {}", path.string()));
  }
}

}  // namespace slipway
