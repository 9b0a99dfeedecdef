// Writes the deployment folder to disk.
#include "launcher/google/write_folder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <set>

#include "common/error.h"
#include "common/file.h"
#include "common/file_lock.h"
#include "launcher/google/kept_files.h"
#include "launcher/google/new_files.h"
#include "launcher/google/record.h"

namespace slipway::google {
namespace {

namespace fs = std::filesystem;

// A limit, since a link can lead back to a folder above it.
constexpr int deepest_folder = 30;

// Working files of git and Terraform, which are not part of a module.
bool is_working_file(const std::string& name) {
  return name == ".git" || name == ".terraform" || name.starts_with("terraform.tfstate");
}

class Writer {
 public:
  explicit Writer(fs::path folder) : folder_(std::move(folder)) {}

  void file(const std::string& path, const std::string& text) {
    const fs::path to = place(path);
    // Definitions may have passwords, also in a folder whose owner lets others in.
    const bool is_private = path.starts_with(".slipway/") || path.ends_with(".json");
    new_files_.write(to, text, is_private ? 0600 : 0644);
  }

  void copy(const fs::path& from, const std::string& path, int depth = 0) {
    std::error_code error;
    const fs::file_status status = fs::status(from, error);
    if (fs::is_regular_file(status)) {
      fs::copy_file(from, place(path));
      return;
    }
    if (!fs::is_directory(status)) {
      throw Error(fmt::format("cannot copy `{}`: {}", from.string(),
                              error ? error.message() : "it is neither a file nor a folder"));
    }
    if (depth > deepest_folder) {
      throw Error(fmt::format("cannot copy `{}`: it is nested too deeply", from.string()));
    }
    for (const auto& entry : fs::directory_iterator(from)) {
      const std::string name = entry.path().filename().string();
      if (is_working_file(name) || is_deployment(entry.path())) continue;
      copy(entry.path(), path + "/" + name, depth + 1);
    }
  }

  const std::set<std::string>& written() const { return written_; }

  void sync() const { new_files_.sync(); }

 private:
  // True for a deployment folder, this one or an earlier one, inside a folder that is copied.
  bool is_deployment(const fs::path& path) const {
    std::error_code ignored;
    return fs::exists(path / record_file, ignored) || fs::equivalent(path, folder_, ignored);
  }

  fs::path place(const std::string& path) {
    if (!written_.insert(path).second) throw Error(fmt::format("`{}` is written twice", path));
    make_directories((folder_ / path).parent_path());
    return folder_ / path;
  }

  fs::path folder_;
  std::set<std::string> written_;
  NewFiles new_files_;
};

// Exchanges the names atomically, so that nobody sees an incomplete folder.
void exchange(const fs::path& a, const fs::path& b) {
  if (::syscall(SYS_renameat2, AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) != 0) {
    throw_errno(fmt::format("cannot replace `{}`", b.string()));
  }
}

void put_in_place(const fs::path& temporary, const fs::path& folder, bool replaces) {
  if (replaces) {
    exchange(temporary, folder);
    fs::remove_all(temporary);  // now the old folder
  } else if (::syscall(SYS_renameat2, AT_FDCWD, temporary.c_str(), AT_FDCWD, folder.c_str(),
                       RENAME_NOREPLACE) != 0) {
    throw_errno(fmt::format("cannot create `{}`", folder.string()));
  }
}

// Accessible only to its owner, since settings may contain passwords; an existing folder keeps its
// mode.
mode_t mode_of(const fs::path& folder) {
  struct stat info = {};
  return ::stat(folder.c_str(), &info) == 0 ? info.st_mode & 07777 : 0700;
}

}  // namespace

Fd lock_folder(const fs::path& folder) {
  Fd lock = try_lock(folder / lock_file);
  if (lock) return lock;
  throw Error(fmt::format("another `slipway` is running in `{}`", folder.string()));
}

size_t write_folder(const fs::path& folder, const Definitions& definitions, Existing existing) {
  const bool replaces = fs::exists(fs::symlink_status(folder));
  if (replaces && existing == Existing::refuse) {
    throw Error(
        fmt::format("`{}` already exists; `--overwrite-deployment` overwrites it and keeps its "
                    "state",
                    folder.string()));
  }
  if (replaces && !fs::is_directory(fs::symlink_status(folder))) {
    throw Error(fmt::format("`{}` is not a folder", folder.string()));
  }
  if (replaces) read_record(folder);  // throws if `create` did not write it
  const Fd lock = replaces ? lock_folder(folder) : Fd();
  const KeptFiles kept = replaces ? KeptFiles(folder, definitions) : KeptFiles();
  const fs::path parent = folder.parent_path().empty() ? fs::path(".") : folder.parent_path();
  make_directories(parent);
  const fs::path temporary =
      parent / fmt::format(".{}.{}.tmp", folder.filename().string(), ::getpid());
  std::error_code ignored;
  try {
    make_directories(temporary, 0700);
    make_directories(temporary / ".slipway", 0700);
    Writer writer(temporary);
    for (const File& file : definitions.files) writer.file(file.path, file.text);
    for (const Copy& copy : definitions.copies) writer.copy(copy.from, copy.path);
    std::set<std::string> files = writer.written();
    files.insert(files_file);
    writer.file(files_file, list_of_files(files));
    kept.link_into(temporary, writer.written());
    writer.sync();
    fs::permissions(temporary, static_cast<fs::perms>(replaces ? mode_of(folder) : 0700));
    put_in_place(temporary, folder, replaces);
    return files.size();
  } catch (const fs::filesystem_error& error) {
    fs::remove_all(temporary, ignored);
    throw Error(error.what());
  } catch (...) {
    fs::remove_all(temporary, ignored);
    throw;
  }
}

}  // namespace slipway::google
