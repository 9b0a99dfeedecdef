// The settings in the text of slurm.conf.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace slipway::node {

// A line of slurm.conf, without its comment.
struct SlurmSetting {
  std::string key;  // in lower case
  std::string value;
};

std::optional<SlurmSetting> setting_in(std::string_view line);

// The settings outside node and partition lines, and the node names that it lists.
struct SlurmSettings {
  std::map<std::string, std::string> values;  // keys in lower case; repeated ones a line each
  std::set<std::string> nodes;

  // Empty without this key.
  std::string value(const std::string& key) const;
};

// `files` has Slurm's files by name; without slurm.conf, there are no settings.
SlurmSettings settings_of(const std::map<std::string, std::string>& files);

}  // namespace slipway::node
