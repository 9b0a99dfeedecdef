// What a look means: findings, the policy and what the node remembers become a verdict.
#pragma once

#include <ctime>
#include <string>
#include <vector>

#include "launcher/health/context.h"
#include "launcher/health/history.h"

namespace slipway::health {

// A finding with what is to be done about it, and who says so.
struct Judged {
  Finding finding;
  Action action = Action::none;
  std::string who;  // "health.yaml", "nvidia: reset-gpu", "the GPU's driver", "3 times in 24 h"
  bool from_before = false;  // an event of an earlier look that lasts
};

struct Verdict {
  std::string node;
  Stage stage = Stage::manual;
  std::time_t time = 0;
  Action action = Action::none;  // the worst
  std::vector<Judged> findings;  // the worst first
  std::vector<std::string> checks;
  std::vector<Skipped> skipped;
  std::map<std::string, std::string> facts;
  std::map<std::string, int64_t> grown;  // counters that have grown during a job
  double milliseconds = 0;
  std::string slurm;  // what was done in Slurm; empty when nothing was

  bool fit() const { return action < Action::drain; }
};

// Judges a look and brings the history up to it.
Verdict judge(const Look& look, const Context& context, History& history, std::time_t now);

}  // namespace slipway::health
