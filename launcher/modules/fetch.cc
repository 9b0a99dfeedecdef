// Downloads remote modules to the cache.
#include "launcher/modules/fetch.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <vector>

#include "common/error.h"
#include "common/file.h"
#include "launcher/modules/fetch_package.h"

namespace slipway::modules {
namespace {

namespace fs = std::filesystem;

constexpr const char* scratch_prefix = ".new.";

// A temporary folder in the cache.
class Scratch {
 public:
  explicit Scratch(const fs::path& root) {
    std::string path = (root / scratch_prefix).string() + "XXXXXX";
    if (::mkdtemp(path.data()) == nullptr)
      throw_errno("cannot create a folder in " + root.string());
    path_ = path;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Removes links out of the package, which would make a file of this machine look like a part of the
// module.
void remove_links_out_of(const fs::path& package, const fs::path& scratch) {
  const auto is_inside = [](const fs::path& path, const fs::path& folder) {
    const fs::path steps = path.lexically_relative(folder);
    return !steps.empty() && *steps.begin() != "..";
  };
  const fs::path root = fs::canonical(package);
  if (!is_inside(root, fs::canonical(scratch))) {
    throw Error(
        "the source is a folder on this machine: write a path that starts with `./` or `/`");
  }
  std::vector<fs::path> out;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_symlink()) continue;
    std::error_code broken;
    const fs::path target = fs::canonical(entry.path(), broken);
    if (broken || !is_inside(target, root)) out.push_back(entry.path());
  }
  for (const fs::path& link : out) fs::remove(link);
}

// Moves `package` to `place` atomically: readers see either the old or the new one.
void move_into_place(const fs::path& package, const fs::path& place) {
  make_directories(place.parent_path(), 0700);
  if (!fs::exists(place)) {
    fs::rename(package, place);
  } else if (::renameat2(AT_FDCWD, package.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) !=
             0) {
    throw_errno("cannot replace " + place.string());
  }
}

}  // namespace

Fetcher::Fetcher(ModuleCache cache) : cache_(std::move(cache)) {
  if (cache_.root.empty()) {
    throw Error("cannot store modules: neither XDG_CACHE_HOME nor HOME is an absolute path");
  }
  make_directories(cache_.root, 0700);
  const fs::path lock = cache_.root / ".lock";
  lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ < 0) throw_errno("cannot open " + lock.string());
  while (::flock(lock_, LOCK_EX) != 0) {
    if (errno != EINTR) throw_errno("cannot lock " + lock.string());
  }
  std::vector<fs::path> left;
  for (const fs::directory_entry& entry : fs::directory_iterator(cache_.root)) {
    if (entry.path().filename().string().starts_with(scratch_prefix)) left.push_back(entry.path());
  }
  std::error_code ignored;
  for (const fs::path& folder : left) fs::remove_all(folder, ignored);
}

Fetcher::~Fetcher() {
  ::close(lock_);
}

bool Fetcher::has(const ModuleSource& source) const {
  return fs::is_directory(cache_.folder(source));
}

void Fetcher::fetch(const ModuleSource& source, std::chrono::milliseconds deadline) {
  const Scratch scratch(cache_.root);
  fs::path package = scratch.path() / "package";
  make_directories(package, 0700);
  if (source.kind == ModuleSource::Kind::git) {
    fetch_with_git(source, package, deadline);
  } else {
    package = fetch_with_terraform(source, package, deadline);
  }
  remove_links_out_of(package, scratch.path());
  move_into_place(package, cache_.folder(source));
}

}  // namespace slipway::modules
