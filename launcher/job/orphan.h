// What an agent does about its job when the launcher is gone, together with the node that has the
// batch script: Slurm would keep the job for minutes, and with --no-kill for ever.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "launcher/job/give_back.h"

namespace slipway::job {

struct Orphan {
  JobRun run;
  std::string launcher;          // its node
  int port = 0;                  // where it listened
  std::string node;              // our own
  int64_t index = 0;             // of our node among the agents' nodes
  int64_t nodes = 1;             // of agents
  int64_t attempt = 0;           // the last that we have heard of
  std::filesystem::path ledger;  // absolute; the launcher's
};

// How long the agent with this index leaves it to others: the first ones act one after the other,
// the rest spread over the seconds after them.
std::chrono::milliseconds turn_of(int64_t index, int64_t nodes);

// Makes sure that the launcher's node is dead, and not only the launcher or our own network; then
// gives the job back without that node. Returns when the job has been taken care of, or that is
// left to others. To be called when everything that ran here has ended.
void give_back_orphaned(const Orphan& orphan);

}  // namespace slipway::job
