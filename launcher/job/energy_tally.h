// Adds up, in the launcher, the energy that the GPUs of each attempt used.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launcher/job/agents.h"

namespace slipway::job {

struct AttemptEnergy {
  int64_t attempt = 0;
  double joules = 0;
  std::vector<std::string> missing;  // nodes that reported no figure
};

// Each node of an attempt reports once how much energy its GPUs used, or that it does not know. The
// report may arrive while the next attempt runs.
class EnergyTally {
 public:
  void begin(int64_t attempt, const std::vector<std::string>& nodes);
  void handle(const AgentEvent& event);

  // Whether a node's report is still missing.
  bool waits() const { return !open_.empty(); }
  // Returns each attempt once, when all its nodes have reported or are gone. Attempts without any
  // figure are left out.
  std::vector<AttemptEnergy> complete();
  // The attempts that still wait for reports, listing the silent nodes as missing.
  std::vector<AttemptEnergy> rest();

 private:
  struct Sum {
    std::set<std::string> awaited, missing;
    std::optional<double> joules;
  };
  static void add_to(std::vector<AttemptEnergy>& all, int64_t attempt, const Sum& sum);

  std::map<int64_t, Sum> open_;  // by attempt
};

}  // namespace slipway::job
