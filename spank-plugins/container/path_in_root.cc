// Finds and makes paths in the root of a container that is being built.
#include "spank-plugins/container/path_in_root.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <deque>
#include <vector>

#include "common/error.h"
#include "common/text.h"
#include "spank-plugins/container/plan_text.h"

namespace slipway::container {
namespace {

constexpr int most_links = 40;  // the kernel's own limit
constexpr int step_flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;

class Walk {
 public:
  Walk(int root, const std::filesystem::path& path, Missing missing)
      : root_(root), path_(path), missing_(missing) {
    push_names(path.string());
  }

  // Empty with errno set to ENOENT if something is missing and not to be made.
  Fd end() {
    while (!names_.empty()) {
      const std::string name = std::move(names_.front());
      names_.pop_front();
      if (name == "..") {
        leave();
      } else if (!enter(name)) {
        return Fd();
      }
    }
    if (folders_.empty()) return Fd(::openat(root_, ".", O_PATH | O_CLOEXEC));
    return std::move(folders_.back());
  }

 private:
  int here() const { return folders_.empty() ? root_ : folders_.back().get(); }

  void push_names(const std::string& path) {
    const std::vector<std::string> names = split(path, '/');
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
      if (!name->empty() && *name != ".") names_.push_front(*name);
    }
  }

  void leave() {
    if (folders_.empty()) {
      throw Error(fmt::format("`{}` leads out of the container's root", path_.string()));
    }
    folders_.pop_back();
  }

  bool enter(const std::string& name) {
    Fd next(::openat(here(), name.c_str(), step_flags));
    if (!next && errno == ENOENT && missing_ != Missing::fails) next = make(name);
    if (!next && errno == ENOENT) return false;
    if (!next) throw_errno(fmt::format("cannot open `{}` in the container", path_.string()));
    struct stat info = {};
    if (::fstat(next.get(), &info) != 0) throw_errno("cannot read the kind of a file");
    if (S_ISLNK(info.st_mode)) {
      follow(next.get());
    } else {
      folders_.push_back(std::move(next));
    }
    return true;
  }

  void follow(int link) {
    if (++links_ > most_links) throw_errno(fmt::format("cannot open `{}`", path_.string()), ELOOP);
    char target[PATH_MAX] = {};
    const ssize_t size = ::readlinkat(link, "", target, sizeof target - 1);
    if (size < 0) throw_errno(fmt::format("cannot read a link in `{}`", path_.string()));
    if (target[0] == '/') folders_.clear();
    push_names(target);
  }

  Fd make(const std::string& name) {
    const bool is_file = names_.empty() && missing_ == Missing::becomes_file;
    const int made = is_file ? ::mknodat(here(), name.c_str(), S_IFREG | 0644, 0)
                             : ::mkdirat(here(), name.c_str(), 0755);
    if (made != 0 && errno != EEXIST) {
      throw_errno(fmt::format("cannot make `{}` in the container", path_.string()));
    }
    return Fd(::openat(here(), name.c_str(), step_flags));
  }

  const int root_;
  const std::filesystem::path path_;
  const Missing missing_;
  std::deque<std::string> names_;  // still to go
  std::vector<Fd> folders_;        // from below the root to where we are
  int links_ = 0;
};

}  // namespace

Fd open_in_root(int root, const std::filesystem::path& path, Missing missing) {
  Fd found = Walk(root, path, missing).end();
  if (!found) throw_errno(fmt::format("cannot open `{}` in the container", path.string()), ENOENT);
  return found;
}

Fd find_in_root(int root, const std::filesystem::path& path) {
  return Walk(root, path, Missing::fails).end();
}

std::string read_in_root(int root, const std::filesystem::path& path, size_t limit) {
  const Fd found = find_in_root(root, path);
  struct stat info = {};
  if (!found || ::fstat(found.get(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  const Fd file(::open(name_of(found.get()).c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return {};
  try {
    return read_whole(file.get(), limit);
  } catch (const Error& error) {
    throw error.within(fmt::format("`{}` of the image", path.string()));
  }
}

void write_in_root(int root, const std::filesystem::path& path, std::string_view text,
                   mode_t mode) {
  const Fd folder = open_in_root(root, path.parent_path(), Missing::becomes_folder);
  write_in_folder(folder.get(), path.filename().string(), text, mode);
}

void remove_from_folder(int folder, const std::string& name) {
  if (::unlinkat(folder, name.c_str(), 0) == 0 || errno == ENOENT) return;
  throw_errno(fmt::format("cannot replace `{}` in the container", name));
}

void write_in_folder(int folder, const std::string& name, std::string_view text, mode_t mode) {
  const std::string what = fmt::format("cannot write `{}` in the container", name);
  remove_from_folder(folder, name);
  const Fd file(::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!file) throw_errno(what);
  for (size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(file.get(), text.data() + done, text.size() - done);
    if (n < 0) throw_errno(what);
    done += static_cast<size_t>(n);
  }
}

std::string name_of(int fd) {
  return fmt::format("/proc/self/fd/{}", fd);
}

}  // namespace slipway::container
