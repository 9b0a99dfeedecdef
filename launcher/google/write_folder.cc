// The deployment folder on the disk.
#include "launcher/google/write_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include "common/error.h"
#include "common/file.h"

namespace slipway::google {

namespace fs = std::filesystem;

void write_folder(const fs::path& folder, const Definitions& definitions) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(folder, error))) {
    throw Error(fmt::format("`{}` is there already", folder.string()));
  }
  const fs::path name = folder.filename();
  const fs::path parent = folder.parent_path().empty() ? fs::path(".") : folder.parent_path();
  make_directories(parent);
  const fs::path temporary = parent / fmt::format(".{}.{}.tmp", name.string(), ::getpid());
  try {
    make_directories(temporary);
    for (const File& file : definitions.files) {
      const fs::path path = temporary / file.path;
      make_directories(path.parent_path());
      write_file(path, file.text);
    }
    fs::rename(temporary, folder, error);
    if (error) throw_errno(fmt::format("cannot make `{}`", folder.string()), error.value());
  } catch (...) {
    fs::remove_all(temporary, error);
    throw;
  }
}

}  // namespace slipway::google
