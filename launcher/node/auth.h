// How Slurm's daemons know each other: munge, or auth/slurm of Slurm 23.11 and newer.
#pragma once

#include <string>

#include "common/slurm_version.h"
#include "launcher/node/service.h"

namespace slipway::node {

enum class Auth { munge, slurm };

// What slurm.conf says with AuthType.
Auth auth_of(const std::string& slurm_conf);

// Throws Error if this Slurm does not have it.
void require_auth(Auth auth, const SlurmVersion& slurm);

// Writes the cluster's key for the method, readable only by the daemon that needs it. True if it
// was missing or different.
bool write_key(Auth auth, const std::string& key);

// Starts what the method needs besides slurmctld, slurmdbd and slurmd: munged; or, on login nodes,
// sackd, which makes credentials for users' commands. Throws Error.
void start_auth(Auth auth, const std::string& role, IfRunning running);

}  // namespace slipway::node
