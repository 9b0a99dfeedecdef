// How often training jobs are interrupted, and by what: profiles from published measurements.
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

enum class Fault { node, network, application };  // what fails; a node stays out until repaired

struct Cause {
  std::string name;  // "HBM3 memory"
  Fault fault = Fault::node;
  int64_t count = 0;  // relative to the profile's other causes
};

struct FailureProfile {
  // Measured or projected for a job of this size.
  struct Measured {
    int64_t nodes = 0;
    double hours_between_failures = 0;
  };

  std::string name;    // "llama-3"
  std::string about;   // a sentence
  std::string source;  // the publication
  int64_t nodes = 0;   // the size of the cluster or job studied
  int64_t gpus_per_node = 0;
  double per_1000_node_days = 0;   // 0 if `measured` is used instead
  std::vector<Measured> measured;  // by rising number of nodes
  std::vector<Cause> causes;

  // The mean time between failures of a job on this many nodes.
  double hours_between_failures(int64_t job_nodes) const;
};

// Reads failures.yaml in `folder` (<blueprints>/catalogue) into `sources`. Reports errors in it to
// `diagnostics`, which must use the same sources. Throws Error if the file cannot be read.
std::vector<FailureProfile> load_failures(const std::filesystem::path& folder,
                                          source::Sources& sources,
                                          source::Diagnostics& diagnostics);

}  // namespace slipway::job
