// How often training jobs are interrupted, and by what: profiles from what others have published.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace slipway::source {
class Diagnostics;
class Sources;
}  // namespace slipway::source

namespace slipway::job {

enum class Fault { node, network, application };  // what a cause takes away; node: until repaired

struct Cause {
  std::string name;  // "HBM3 memory"
  Fault fault = Fault::node;
  int64_t count = 0;  // how often, beside the other causes of the profile
};

struct FailureProfile {
  // Seen or projected for a job of this size.
  struct Measured {
    int64_t nodes = 0;
    double hours_between_failures = 0;
  };

  std::string name;    // "llama-3"
  std::string about;   // a sentence
  std::string source;  // who has published it
  int64_t nodes = 0;   // the size of what was looked at
  int64_t gpus_per_node = 0;
  double per_1000_node_days = 0;   // 0 when `measured` says it
  std::vector<Measured> measured;  // by rising number of nodes
  std::vector<Cause> causes;

  // The mean time between failures of a job on so many nodes.
  double hours_between_failures(int64_t job_nodes) const;
};

// Reads failures.yaml of `folder` (<blueprints>/catalogue) into `sources`. What is wrong in it goes
// to `diagnostics`, which must be of the same sources. Throws Error when the file cannot be read.
std::vector<FailureProfile> load_failures(const std::filesystem::path& folder,
                                          source::Sources& sources,
                                          source::Diagnostics& diagnostics);

}  // namespace slipway::job
