// A folder for what a program of a job needs while it runs, and which goes with it.
#pragma once

#include <filesystem>
#include <string>

#include "common/fd.h"

namespace slipway::job {

// <temporary folder>/<name>-XXXXXX, for our user alone. A program that is killed leaves its folder
// behind: the next one of the same user that asks for one of that name removes it. Those in use are
// known by a lock in them, which a program's end releases, whatever that end is.
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
