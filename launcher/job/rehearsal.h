// A simulation of training jobs that fail: how much of the time is work.
//
// Failures come at random, independently of each other (a Poisson process over the job's nodes),
// whenever the job runs or restarts; a restart that fails begins anew. A failed node is away until
// it is repaired, and a spare takes its place; without one the job waits. Left out: failures of
// spares and of nodes of a job that waits, the time for which the first start takes, and queues.
#pragma once

#include <cstdint>
#include <vector>

#include "launcher/job/failures.h"

namespace slipway::job {

// What is given. Every run has the same failures in every setting of the same scenario.
struct Scenario {
  int64_t nodes = 0;
  double hours_between_failures = 0;  // of the whole job
  std::vector<Cause> causes;          // by their counts
  double days = 0;
  double checkpoint_seconds = 0;  // for which work stands still
  double detection_seconds = 0;   // from the failure until it is known
  double restart_seconds = 0;     // from then until the first step
  double repair_hours = 0;        // until a node that has failed is there again
  double blame = 1;               // the chance that the node at fault is found before the restart
  double relapse_minutes = 0;     // from a restart on a bad node to its next failure, in the mean
  int64_t runs = 0;
  uint64_t seed = 0;
};

// What is to be chosen.
struct Setting {
  int64_t spares = 0;
  double interval_seconds = 0;  // of work between two checkpoints
};

// Where the time went; as parts of all of it they add up to 1.
struct Times {
  double productive = 0;
  double checkpoints = 0;
  double lost_work = 0;  // done since the last checkpoint, and done again
  double detection = 0;
  double waiting = 0;  // for nodes
  double restart = 0;
};

struct CauseOutcome {
  double interruptions = 0;
  double lost = 0;  // the part of the time that they cost
};

struct Outcome {
  Setting setting;
  // Of the runs' goodputs, the parts of their time that were work.
  double mean = 0, standard_error = 0, low = 0, median = 0, high = 0;  // low, high: 5 %, 95 %
  Times times;                                                         // mean
  double interruptions = 0;                                            // mean, of a run
  std::vector<CauseOutcome> causes;  // mean, in the order of the scenario's
};

// How many nodes are in repair at a time, in the mean, when the job never waits.
double nodes_in_repair(const Scenario& scenario);

// Simulates all runs of the scenario: the same outcome for the same arguments.
Outcome rehearse(const Scenario& scenario, const Setting& setting);

}  // namespace slipway::job
