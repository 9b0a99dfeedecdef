// Waits until Slurm can use nodes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "common/interrupts.h"
#include "launcher/local/deployment_folder.h"

namespace slipway::local {

// A point in time by which something must be done.
struct Deadline {
  explicit Deadline(std::chrono::seconds limit)
      : limit(limit), end(std::chrono::steady_clock::now() + limit) {}

  // The whole limit again from now on: what is awaited makes progress.
  void renew();

  std::chrono::milliseconds left() const;                      // 0 after the deadline
  std::string timeout_message(const std::string& what) const;  // "waited 60 s for idle nodes"

  std::chrono::seconds limit;
  std::chrono::steady_clock::time_point end;
};

// States of a node that can run jobs, or already does.
extern const std::set<std::string> usable_states;

// Waits until sinfo on the controller reports each of `nodes` in one of `states` ("idle"). Throws
// Error with all nodes' states when the deadline passes, or "interrupted". The deadline is
// renewed whenever another node is there. Calls `tell` with the number of other nodes after each
// answer.
void wait_for_nodes(const DeploymentFolder& folder, const std::string& controller,
                    std::set<std::string> nodes, const std::set<std::string>& states,
                    Deadline deadline, const Interrupts& interrupts,
                    const std::function<void(size_t left)>& tell = {});

// When each node's slurmd was started, in seconds since 1970, from `scontrol --oneliner show node`
// with SLURM_TIME_FORMAT=%s. Nodes that have not registered are not in it.
std::map<std::string, int64_t> slurmd_starts(const std::string& scontrol);

// Waits until the slurmd that runs on each of `nodes` has registered. slurmctld may call a node
// idle because of an answer of the slurmd that ran in its place before (seen with 24.11 and 26.05).
// Throws Error when the deadline passes, or "interrupted".
void wait_for_registration(const DeploymentFolder& folder, const std::string& controller,
                           std::set<std::string> nodes, const Deadline& deadline,
                           const Interrupts& interrupts);

}  // namespace slipway::local
