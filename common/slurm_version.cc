// Versions of Slurm.
#include "common/slurm_version.h"

#include <fmt/core.h>

#include <string>
#include <vector>

#include "common/text.h"

namespace slipway {

SlurmVersion parse_slurm_version(std::string_view text) {
  const std::string_view line = trim(text.substr(0, text.find('\n')));
  const std::vector<std::string> parts = split(std::string(line.substr(line.rfind(' ') + 1)), '.');
  const auto part = [&](size_t i) {
    return i < parts.size() ? to_number<int>(parts[i]).value_or(0) : 0;
  };
  return {part(0), part(1), part(2)};
}

std::string to_string(const SlurmVersion& version) {
  return fmt::format("{:02}.{:02}.{}", version.year, version.month, version.micro);
}

}  // namespace slipway
