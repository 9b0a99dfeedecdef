// Keeps files of an existing deployment folder when it is overwritten.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "launcher/google/definitions.h"

namespace slipway::google {

// The files that `create` did not write: Terraform's state and downloads, and the user's files. Of
// a removed group, only the user's files.
class KeptFiles {
 public:
  KeptFiles() = default;

  // Finds the files in a folder that the definitions will overwrite. Throws Error if it must not be
  // overwritten: see write_folder().
  KeptFiles(const std::filesystem::path& folder, const Definitions& definitions);

  // Hard-links them into the new folder. Throws Error if one of them would overwrite a file in
  // `written`.
  void link_into(const std::filesystem::path& folder, const std::set<std::string>& written) const;

 private:
  void find_files(const std::string& path, const std::set<std::string>& ours,
                  const std::set<std::string>& dropped);

  std::filesystem::path folder_;
  std::vector<std::string> paths_;  // of files and links, in the folder
};

}  // namespace slipway::google
