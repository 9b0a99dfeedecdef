// The options of bandwidth_scan.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "nccl-tests/options.h"
#include "nccl-tests/scan.h"

namespace slipway::bandwidth {

inline constexpr const char* scan_program = "bandwidth_scan";

struct ScanOptions {
  BackendChoice backend = BackendChoice::automatic;
  std::filesystem::path world;
  ScanSettings settings;
  PairTest test;
  bool chooses_size = true;  // no --size was given
  bool plan = false;
  bool explains_nodes = false;  // --level node
  std::filesystem::path state;
  std::filesystem::path node_profile = slipway::node_profile_path;
  double burn_seconds = 0;    // 0: no burn
  double limit_seconds = 60;  // of a pair
  std::string pair_rank;      // this process is a rank of a pair (scan_pair.h)
};

// Empty after --help, which is printed. Throws UsageError.
std::optional<ScanOptions> parse_scan_options(const std::vector<std::string>& args);

// The arguments with which a process measures as these options say.
std::vector<std::string> arguments_of(const ScanOptions& options, BackendChoice backend);

}  // namespace slipway::bandwidth
