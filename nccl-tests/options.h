// The command line of the *_perf programs: nccl-tests' flags and our own.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/node_profile.h"
#include "nccl-tests/datatype.h"
#include "nccl-tests/measure.h"
#include "nccl-tests/nccl_backend.h"
#include "nccl-tests/sizes.h"

namespace slipway::bandwidth {

enum class BackendChoice { automatic, mpi, tcp, nccl, sim };
std::string_view to_string(BackendChoice choice);

struct Options {
  Sweep sweep;
  Timing timing;
  int warmup_iterations = 1;
  int cycles = 1;  // runs of the whole sweep; 0: until interrupted
  std::vector<Datatype> datatypes;
  std::vector<Reduction> reductions;
  std::optional<int> root = 0;  // none: every rank in turn
  bool timestamps = false;      // adds a column to each row
  BackendChoice backend = BackendChoice::automatic;
  std::filesystem::path world;            // of the backend sim
  double timeout_seconds = 0;             // without progress; 0: no limit
  int gpus = 1, threads = 1;              // the process becomes gpus × threads ranks
  int unaligned = 0;                      // elements before the first of a buffer
  bool report_issue_time = false;         // -C: the time until the operation was handed over
  bool report_memory = false;             // -M
  std::vector<std::string> arguments;     // as given
  std::filesystem::path nccl_tests_file;  // -J: the result as nccl-tests' JSON; empty: none
  NcclSettings nccl;
  std::filesystem::path report;  // empty: none is written
  std::filesystem::path node_profile = node_profile_path;
};

// Empty after --help, which is printed to stdout. Throws UsageError for anything unknown, malformed
// or out of range, where nccl-tests silently uses a default.
std::optional<Options> parse_options(const Collective& collective,
                                     std::span<const std::string> args);

// The backend called `text`. Throws UsageError with a suggestion.
BackendChoice parse_backend(const std::string& text);

}  // namespace slipway::bandwidth
