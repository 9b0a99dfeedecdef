// What the GPUs of a job's attempts have taken, as the launcher hears of it.
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
  std::vector<std::string> missing;  // nodes whose share is not known
};

// Each node of an attempt says once what its GPUs have taken, or that nobody knows. It may do so
// when the next attempt runs already.
class EnergyTally {
 public:
  void begin(int64_t attempt, const std::vector<std::string>& nodes);
  void hear(const AgentEvent& event);

  // Whether a node has yet to say it.
  bool waits() const { return !open_.empty(); }
  // Attempts of which all nodes have said it, or have gone, each once. One of which no node knows
  // is left out.
  std::vector<AttemptEnergy> complete();
  // Those that are still waited for, with the nodes that have not said it among the missing.
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
