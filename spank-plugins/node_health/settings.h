// The settings of node_health: its arguments in plugstack.conf, and a job's --health.
#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace slipway::node_health {

// A value of `sbatch --health`.
enum class Choice { on, skip };

// Of `sbatch --health`, as `srun --help` and the reference show it.
inline constexpr const char* option_name = "health";
inline constexpr const char* option_values = "on|skip";
inline constexpr const char* option_help =
    "check each node before the job begins (on), or ask for no checks (skip), which the cluster's "
    "health policy may refuse";

// The arguments that plugstack.conf can give, and what they mean.
struct ArgumentHelp {
  const char* name;
  const char* help;
};
inline constexpr ArgumentHelp argument_help[] = {
    {"program=FILE", "the program slipway; /opt/slipway/bin/slipway if missing"},
    {"deadline=SECONDS", "end a check after this long, from 1 to 50; 15 if missing"}};

struct Arguments {
  std::filesystem::path program = "/opt/slipway/bin/slipway";
  std::chrono::seconds deadline{15};  // longer than the policy allows, so that the checks end first
};

// Throws Error with the text that is invalid.
Choice parse_choice(std::string_view text);

// `program=FILE` and `deadline=SECONDS`. Throws Error on anything else.
Arguments parse_arguments(std::span<const std::string> words);

}  // namespace slipway::node_health
