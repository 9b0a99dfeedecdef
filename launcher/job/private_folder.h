// A private temporary folder that is removed even if its program is killed.
#pragma once

#include <filesystem>
#include <string>

#include "common/fd.h"

namespace slipway::job {

// Where small files of a job last as long as its processes: $TMPDIR if that is another folder than
// /tmp, which Slurm sets; otherwise /dev/shm, or /tmp if that is not in memory or we may not write
// there. Slurm 22.05 empties a job's own /tmp on all of its nodes when one of them dies.
std::filesystem::path lasting_folder();

// <parent>/<name>-XXXXXX, accessible to our user only, removed with this object. If the
// program is killed, the next PrivateFolder of the same user and name removes the folder. A lock in
// the folder marks it as in use; the kernel releases the lock when the program ends.
class PrivateFolder {
 public:
  // Throws Error.
  explicit PrivateFolder(const std::string& name, const std::filesystem::path& parent =
                                                      std::filesystem::temp_directory_path());
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  Fd lock_;
};

}  // namespace slipway::job
