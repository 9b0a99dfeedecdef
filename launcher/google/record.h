// Records in the deployment folder what `create` wrote, for `deploy` and for a later `create` that
// overwrites it.
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
inline constexpr const char* lock_file = ".slipway/lock";  // locked during changes

// The text of record_file: the groups and the values between them (slipway/created/1).
std::string record(const Definitions& definitions);

// The text of files_file: the paths of all files that `create` wrote.
std::string list_of_files(const std::set<std::string>& files);

// The record of a deployment folder.
struct Recorded {
  std::string deployment;
  std::vector<GroupSteps> groups;
  std::set<std::string> files;
};

// Throws Error if `create` did not write the folder.
Recorded read_record(const std::filesystem::path& folder);

}  // namespace slipway::google
