// Simulates training jobs that fail, to find the fraction of time that is work.
//
// Failures come at random, independently of each other (a Poisson process over the job's nodes),
// whenever the job runs or restarts; a restart that fails starts over. A failed node is out until
// it is repaired, and a spare replaces it; without a spare, the job waits. Not simulated: failures
// of spares and of nodes while the job waits, the first startup, and queues.
#pragma once

#include <cstdint>
#include <vector>

#include "launcher/job/failures.h"

namespace slipway::job {

// The given conditions. All settings of a scenario see the same failures in a run.
struct Scenario {
  int64_t nodes = 0;
  double hours_between_failures = 0;  // of the whole job
  std::vector<Cause> causes;          // weighted by their counts
  double days = 0;
  double checkpoint_seconds = 0;  // during which work pauses
  double memory_seconds = 0;      // the same for a checkpoint in other nodes' memory
  double memory_loss = 0;         // chance that a failure takes all copies in memory
  double detection_seconds = 0;   // from the failure until it is noticed
  double restart_seconds = 0;     // from then until the first step
  double repair_hours = 0;        // until a failed node is back
  double blame = 1;               // chance that the node at fault is found before the restart
  double relapse_minutes = 0;     // mean time from a restart on a bad node to its next failure
  int64_t runs = 0;
  uint64_t seed = 0;
};

// The choices to compare.
struct Setting {
  int64_t spares = 0;
  double interval_seconds = 0;  // of work between two checkpoints on disk
  double memory_seconds = 0;    // of work between two in memory; 0: there are none
};

// Where the time went, as fractions that add up to 1 or, within a run, in seconds.
struct Times {
  double productive = 0;
  double checkpoints = 0;
  double lost_work = 0;  // since the last checkpoint, repeated
  double detection = 0;
  double waiting = 0;  // for nodes
  double restart = 0;
};

struct CauseOutcome {
  double interruptions = 0;
  double lost = 0;  // fraction of the time
};

struct Outcome {
  Setting setting;
  // Of the runs' goodputs, the fractions of their time that were work.
  double mean = 0, standard_error = 0, low = 0, median = 0, high = 0;  // low, high: 5 %, 95 %
  Times times;                                                         // mean
  double interruptions = 0;                                            // mean per run
  std::vector<CauseOutcome> causes;  // means, in the scenario's order
};

// The mean number of nodes in repair at a time, if the job never waits.
double nodes_in_repair(const Scenario& scenario);

// Simulates all runs of the scenario; deterministic.
Outcome rehearse(const Scenario& scenario, const Setting& setting);

}  // namespace slipway::job
