// What of a deployment folder stays when it is written anew.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "launcher/google/definitions.h"

namespace slipway::google {

// Files that `create` did not write: Terraform's state, what it fetched, and files of the user's.
// Of a group that is dropped, only the user's.
class KeptFiles {
 public:
  KeptFiles() = default;

  // Of a folder that the definitions are to be written over. Throws Error when that must not be:
  // see write_folder().
  KeptFiles(const std::filesystem::path& folder, const Definitions& definitions);

  // Puts them into the new folder, as second names of the same files. Throws Error when one of them
  // is among what is written there.
  void link_into(const std::filesystem::path& folder, const std::set<std::string>& written) const;

 private:
  void look(const std::string& path, const std::set<std::string>& ours,
            const std::set<std::string>& dropped);

  std::filesystem::path folder_;
  std::vector<std::string> paths_;  // of files and links, in the folder
};

}  // namespace slipway::google
