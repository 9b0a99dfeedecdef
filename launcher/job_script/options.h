// The options of sbatch and srun, read as these programs read them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace slipway::job_script {

enum class SlurmProgram { sbatch, srun };

struct GivenOption {
  std::string name;                  // the long one: "nodes" for -N
  std::optional<std::string> value;  // empty: it has none
  size_t first = 0, last = 0;        // its words, by index
};

struct BadOption {
  size_t word = 0;
  bool needs_value = false;  // it has none; otherwise the program has no such option
};

struct ParsedOptions {
  std::vector<GivenOption> given;  // in their order
  std::vector<BadOption> bad;
  size_t end = 0;  // the first word that is not an option: a script, or srun's command

  // The one that counts: the last. nullptr without one.
  const GivenOption* find(std::string_view name) const;
  std::string text(std::string_view name) const;  // its value, or ""
};

// The words of a command line without the program's name. Includes the options of Slipway's and
// NVIDIA's plugins.
ParsedOptions parse_options(SlurmProgram program, const std::vector<std::string>& words);

// All long options, for suggestions.
std::vector<std::string> option_names(SlurmProgram program);

}  // namespace slipway::job_script
