// Has Slurm's daemons that run use changed files.
#pragma once

#include <string>
#include <vector>

namespace slipway::node {

// Restarts slurmctld and waits until it listens. Running jobs and slurmd do not notice it; commands
// wait. Throws Error.
void restart_slurmctld();

// Restarts slurmd and waits until it listens; jobs continue. `options` as in start_daemons().
// Throws Error.
void restart_slurmd(const std::vector<std::string>& options);

// Has slurmd read its files again, as `scontrol reconfigure` does. Throws Error.
void reload_slurmd();

// Stops slurmctld and slurmd, also at the next boot. Jobs continue without them. Throws Error.
void stop_slurm();

// Restarts slurmdbd and waits until it listens; slurmctld keeps records meanwhile. Throws Error.
// One that waits for another machine's does not listen.
void restart_slurmdbd(bool waits);

// On a login node: has sackd read its files again, where there is one. Throws Error.
void reload_sackd();

}  // namespace slipway::node
