// Files: read whole, written whole or not at all.
#include "common/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include <fmt/format.h>

#include "common/error.h"
#include "common/fd.h"
#include "common/text.h"

namespace slipway {

std::string read_file(const std::filesystem::path& path) {
  const std::string what = fmt::format("cannot read {}", path.string());
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw_errno(what);
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = ::read(file.get(), buffer, sizeof buffer);
    if (n == 0) return text;
    if (n > 0) {
      text.append(buffer, static_cast<size_t>(n));
    } else if (errno != EINTR) {
      throw_errno(what);
    }
  }
}

std::string last_words(const std::filesystem::path& log, size_t lines) {
  std::vector<std::string> all;
  try {
    all = split(trim(read_file(log)), '\n');
  } catch (const Error&) {
    // Who asks for last words has something worse to report.
  }
  if (all.empty()) return "nothing";
  const size_t first = all.size() - std::min(lines, all.size());
  return join(std::span(all).subspan(first), " … ");
}

void write_file(const std::filesystem::path& path, std::string_view text, mode_t mode) {
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
  if (::fchmod(file.get(), mode) != 0) give_up();
  while (!text.empty()) {
    const ssize_t n = ::write(file.get(), text.data(), text.size());
    if (n >= 0) {
      text.remove_prefix(static_cast<size_t>(n));
    } else if (errno != EINTR) {
      give_up();
    }
  }
  if (::close(file.release()) != 0) give_up();
  if (::rename(temporary.c_str(), path.c_str()) != 0) give_up();
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
