// What an agent does for its job when the launcher died together with its node, which also ran the
// batch script. Slurm alone would keep the job for minutes or, with --no-kill, forever.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "launcher/job/requeue.h"

namespace slipway::job {

struct Orphan {
  JobRun run;
  std::string launcher;  // the launcher's node
  int port = 0;          // where the launcher listened
  std::string node;      // this node
  int64_t index = 0;     // of this node among the agents' nodes
  int64_t nodes = 1;     // number of agents
  // The node comes from a helper job: helpers.h. Then the others act for the job.
  bool joins = false;
  int64_t attempt = 0;           // the last known attempt
  std::filesystem::path ledger;  // absolute; the launcher's
};

// How long the agent with this index waits for others to act: the first ones act one after another,
// the rest are spread over the following seconds.
std::chrono::milliseconds turn_of(int64_t index, int64_t nodes);

// Makes sure that the launcher's node is dead, not just the launcher or this node's network, and
// then requeues the job without that node. Returns once the job is taken care of, or another agent
// will do so. Call this after everything that ran on this node has ended.
void requeue_orphaned(const Orphan& orphan);

}  // namespace slipway::job
