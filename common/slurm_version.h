// Versions of Slurm, which decide what its files may contain and what it does.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace slipway {

struct SlurmVersion {
  int year = 0, month = 0, micro = 0;  // 24.11.5
  auto operator<=>(const SlurmVersion&) const = default;

  // Without the micro version: versions of one release work with each other.
  SlurmVersion release() const { return {year, month, 0}; }
};

// Reads what Slurm's programs print: "slurm-wlm 24.11.5", "24.11.5", "slurm 26.05.0-0rc1". Parts
// that are missing or not a number are 0, so that an unknown version counts as the oldest.
SlurmVersion parse_slurm_version(std::string_view text);

// As Slurm writes it: "24.11.5".
std::string to_string(const SlurmVersion& version);

}  // namespace slipway
