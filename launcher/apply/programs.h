// Finds Terraform or OpenTofu, and Packer.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/requirement.h"
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

// Terraform or OpenTofu, and Packer. The path is empty if it is not in PATH, the version if the
// program does not say. It prefers `before`, "terraform" or "tofu".
Program find_terraform(const std::string& before = {});
Program find_packer();

// Why a program that was found cannot be used: "whose version is not known"; empty if it can.
std::string problem_of(const Program& program);

// What `slipway deploy --target google` and its relatives need from this machine.
std::vector<Requirement> requirements();

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
