// The programs that deploy: found in one place.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launcher/apply/places.h"
#include "launcher/google/definitions.h"

namespace slipway::apply {

struct Program {
  std::string name;            // "tofu"
  std::filesystem::path path;  // empty: it is not needed
  std::string version;         // "1.11.4"
};

struct Programs {
  Program terraform;  // or OpenTofu
  Program packer;
};

// Where PATH has the program; nowhere else is looked, and not in folders of PATH that are relative.
std::optional<std::filesystem::path> find_in_path(const std::string& name);

// Whether a version such as "1.11.4-dev" is at least `least`.
bool is_at_least(const std::string& version, const std::string& least);

// What the groups need. `before` is the program that has the deployment's state, "terraform" or
// "tofu": it is taken when both are there. What is missing or too old is a diagnostic at the first
// group that needs it.
Programs find_programs(const std::vector<google::GroupSteps>& groups, const std::string& before,
                       const Places& places, source::Diagnostics& diagnostics);

}  // namespace slipway::apply
