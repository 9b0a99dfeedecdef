// Turns check results, the policy and the node's history into a verdict.
#pragma once

#include <ctime>
#include <string>
#include <vector>

#include "launcher/health/context.h"
#include "launcher/health/history.h"

namespace slipway::health {

// A finding, the action that it calls for, and the source of that decision.
struct Judged {
  Finding finding;
  Action action = Action::none;
  std::string who;  // "health.yaml", "nvidia: reset-gpu", "the GPU's driver", "3 times in 24 h"
  bool from_before = false;  // an event from an earlier check that lasts
};

struct Verdict {
  std::string node;
  Stage stage = Stage::manual;
  std::time_t time = 0;
  Action action = Action::none;  // the most severe
  std::vector<Judged> findings;  // the most severe first
  std::vector<std::string> checks;
  std::vector<Skipped> skipped;
  std::map<std::string, std::string> facts;
  std::map<std::string, int64_t> grown;  // counters that grew during a job
  double milliseconds = 0;
  std::string slurm;  // what was done in Slurm; empty: nothing

  bool fit() const { return action < Action::drain; }
};

// Judges results and updates the history.
Verdict judge(const CheckResults& results, const Context& context, History& history,
              std::time_t now);

}  // namespace slipway::health
