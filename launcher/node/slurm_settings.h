// The settings in the text of slurm.conf: to compare two versions of it, and to leave out what this
// machine's Slurm has dropped.
#pragma once

#include <map>
#include <set>
#include <string>

#include "common/slurm_version.h"

namespace slipway::node {

// The settings outside node and partition lines, and the node names that it lists.
struct SlurmSettings {
  std::map<std::string, std::string> values;  // keys in lower case; repeated ones joined
  std::set<std::string> nodes;
};

// `files` has Slurm's files by name; without slurm.conf, there are no settings.
SlurmSettings settings_of(const std::map<std::string, std::string>& files);

// slurm.conf as this version of Slurm reads it without an error:
// CommunicationParameters=NoAddrCache is left out from 24.11 on, which looks up every address anew
// and calls the option defunct (seen in Debian's 24.11.5 and 26.05.5).
std::string slurm_conf_for(std::string text, const SlurmVersion& version);

}  // namespace slipway::node
