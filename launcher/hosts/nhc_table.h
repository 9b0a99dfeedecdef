// The catalogue's nhc.yaml: what the checks of LBNL's Node Health Check become.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace slipway::hosts {

struct NhcCheck {
  std::string becomes;                      // a key of a policy, "mounts"; empty: none
  std::string options;                      // as for getopts: "0rt:f:"
  std::vector<std::string> entry;           // letters of options, "first", "all"
  std::vector<std::string> findings;        // of health.yaml
  std::map<std::string, std::string> lost;  // by letter of option, or "words"
  std::vector<std::string> opposite;        // letters of options
  std::string without;                      // why nothing of ours checks it
};

struct NhcTable {
  std::map<std::string, NhcCheck> checks;       // by name
  std::map<std::string, std::string> settings;  // by variable: what to write instead
};

// Reads nhc.yaml of `folder` (<blueprints>/catalogue). Throws Error with all its problems.
NhcTable load_nhc_table(const std::filesystem::path& folder);

}  // namespace slipway::hosts
