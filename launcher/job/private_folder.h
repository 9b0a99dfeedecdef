// A temporary folder for a program of a job.
#pragma once

#include <filesystem>
#include <string>

#include "common/fd.h"

namespace slipway::job {

// <temporary folder>/<name>-XXXXXX, for our user alone, removed with this object. The folder of a
// program that was killed is removed by the next PrivateFolder of that user and name. A lock in the
// folder marks it as in use; the kernel releases it when the program ends.
class PrivateFolder {
 public:
  // Throws Error.
  explicit PrivateFolder(const std::string& name);
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  Fd lock_;
};

}  // namespace slipway::job
