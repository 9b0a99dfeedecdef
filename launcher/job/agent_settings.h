// What a launcher tells its agents through their environment, and how an agent reads it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

#include "common/secret.h"
#include "launcher/job/orphan.h"
#include "launcher/job/rendezvous.h"

namespace slipway::job {

struct AgentSettings {
  Orphan orphan;  // where the launcher is, and what requeueing the job without it needs
  Secret key;     // proves launcher and agent to each other
  std::chrono::milliseconds heartbeat{};  // the longest silence
  bool with_pmix = false;
  bool with_checkpoints = false;  // in memory
  int64_t checkpoint_bytes = 0;   // that a node holds at most; 0: the usual share
  // Tasks join a container that another step holds: container_place.h. Empty: they do not.
  std::filesystem::path container;
};

// The variables for all agents of a launcher that listens at `orphan.launcher`:`orphan.port`. Only
// the job's user can read the environment of an agent, and so the key.
Variables agent_variables(const AgentSettings& settings);

// Reads the same variables, and what Slurm says about this node. Removes them from the environment,
// so that tasks do not get them. Throws Error if `slipway launch` did not start this process.
AgentSettings take_agent_settings();

}  // namespace slipway::job
