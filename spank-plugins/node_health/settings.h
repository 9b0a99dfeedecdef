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

struct Arguments {
  std::filesystem::path program = "/opt/slipway/bin/slipway";
  std::chrono::seconds deadline{15};  // longer than the policy allows, so that the checks end first
};

// Throws Error with the text that is invalid.
Choice parse_choice(std::string_view text);

// `program=FILE` and `deadline=SECONDS`. Throws Error on anything else.
Arguments parse_arguments(std::span<const std::string> words);

}  // namespace slipway::node_health
