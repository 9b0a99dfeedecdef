// Finds Terraform or OpenTofu, and Packer.
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
  std::filesystem::path path;  // empty if it is not needed
  std::string version;         // "1.11.4"
};

struct Programs {
  Program terraform;  // or OpenTofu
  Program packer;
};

// Finds a program in the absolute folders of PATH, and nowhere else.
std::optional<std::filesystem::path> find_in_path(const std::string& name);

// Whether a version such as "1.11.4-dev" is `least` or later.
bool is_at_least(const std::string& version, const std::string& least);

// Finds the programs that the groups need. `before` is the program that wrote the deployment's
// state, "terraform" or "tofu", which is preferred. Reports a missing or outdated program at the
// first group that needs it.
Programs find_programs(const std::vector<google::GroupSteps>& groups, const std::string& before,
                       const Places& places, source::Diagnostics& diagnostics);

}  // namespace slipway::apply
