// What node_health is told: its arguments in plugstack.conf, and --health of a job.
#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace slipway::node_health {

// Of `sbatch --health`.
enum class Choice { on, skip };

struct Arguments {
  std::filesystem::path program = "/opt/slipway/bin/slipway";
  std::chrono::seconds deadline{15};  // more than the policy allows a prolog: it ends by itself
};

// Throws Error with the words that were not understood.
Choice parse_choice(std::string_view text);

// `program=FILE` and `deadline=SECONDS`. Throws Error on anything else.
Arguments parse_arguments(std::span<const std::string> words);

}  // namespace slipway::node_health
