// The command line of the *_perf programs: nccl-tests' flags, and --report.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nccl-tests/datatype.h"
#include "nccl-tests/sizes.h"

namespace slipway::bandwidth {

struct Options {
  Sweep sweep;
  int iterations = 20;
  int warmup_iterations = 1;
  int check_iterations = 1;  // checked runs after the timed ones; 0 leaves the data unchecked
  std::vector<Datatype> datatypes;
  std::filesystem::path report;  // empty: none is written
};

// Nothing when --help was asked for: it is on stdout. Throws UsageError for whatever is unknown,
// malformed or out of range; nccl-tests takes a default there and goes on.
std::optional<Options> parse_options(std::string_view program, std::span<const std::string> args);

}  // namespace slipway::bandwidth
