// Takes a job's batch script away from its user, who may still read and run it.
//
// slurmstepd writes the script into slurmd's spool and gives it to the job's user, who can then
// append to it until the spool is full. slurmd keeps its own state there, and drains the node if it
// cannot write it ("SlurmdSpoolDir is full"; seen with 22.05 and 24.11). See save_cred_state
// of https://github.com/SchedMD/slurm/blob/slurm-24.11/src/slurmd/slurmd/cred_context.c
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace slipway::node_health {

// Gives `script`, a file of `user` in a folder that only root may write to, to root, with an access
// control list that lets `user` read and run it, and nobody else. Throws Error if it is
// not such a file, if the file system has no access control lists, or if this is not root.
void keep_batch_script(const std::filesystem::path& script, uid_t user);

}  // namespace slipway::node_health
