// What `create` made, kept in the deployment folder: for a later `create` over it, and for
// `deploy`.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "launcher/google/definitions.h"

namespace slipway::google {

inline constexpr const char* record_file = ".slipway/deployment.json";
inline constexpr const char* files_file = ".slipway/files.json";
inline constexpr const char* blueprint_file = ".slipway/blueprint.yaml";
inline constexpr const char* lock_file = ".slipway/lock";  // held by whoever changes something

// The text of record_file: the groups and what flows between them (slipway/created/1).
std::string record(const Definitions& definitions);

// The text of files_file: every file that was written, by path.
std::string list_of_files(const std::set<std::string>& files);

// A deployment folder as it was made.
struct Recorded {
  std::string deployment;
  std::vector<GroupSteps> groups;
  std::set<std::string> files;
};

// Throws Error when the folder is none that `create` has made.
Recorded read_record(const std::filesystem::path& folder);

}  // namespace slipway::google
