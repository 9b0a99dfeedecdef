// The settings in the text of slurm.conf, to compare two versions of it.
#pragma once

#include <map>
#include <set>
#include <string>

namespace slipway::node {

// The settings outside node and partition lines, and the node names that it lists.
struct SlurmSettings {
  std::map<std::string, std::string> values;  // keys in lower case; repeated ones joined
  std::set<std::string> nodes;
};

// `files` has Slurm's files by name; without slurm.conf, there are no settings.
SlurmSettings settings_of(const std::map<std::string, std::string>& files);

}  // namespace slipway::node
