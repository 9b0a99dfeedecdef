// The services of a node: munge everywhere, slurmctld on the controller, slurmd on compute nodes.
//
// Used inside the node, with Slurm's files in /etc/slurm, by PID 1 of a local node and when a cloud
// machine boots.
#pragma once

#include <string>
#include <vector>

#include "common/slurm_version.h"
#include "launcher/node/service.h"

namespace slipway::node {

inline constexpr int slurmctld_port = 6817;
inline constexpr int slurmd_port = 6818;
inline constexpr const char* munge_socket = "/run/munge/munge.socket.2";

// slurmctld's state, unless two controllers share it.
inline constexpr const char* slurmctld_state = "/var/spool/slurmctld";

// Makes the folders that Slurm writes to, with the owners that it requires.
void prepare_folders();

// On a compute node: puts slurmd's spool on its own tmpfs, so that it has room for jobs even if the
// disk is full. Does nothing if that is done already or slurmd runs. Throws Error.
void prepare_spool();

// On a compute node: makes the folder where users' launchers leave reports for root, on its own
// file system so that they cannot fill /run. Does nothing if it exists. Throws Error.
void prepare_reports();

// On a compute node: makes the folder where jobs' launchers leave numbers for the node's metrics,
// in the same way.
void prepare_job_states();

// Writes the cluster's key to where munged expects it, readable by munge only. True if the key was
// missing or different.
bool write_munge_key(const std::string& key);

// Starts munged and waits until it answers; restart it if its key has changed. Throws
// Error if it does not answer within 10 s.
void start_munge(IfRunning running = IfRunning::keep);

// Where Debian's slurmd unit reads its options.
inline constexpr const char* slurmd_options_path = "/etc/default/slurmd";

// The slurmd options with which a dynamic node describes itself to slurmctld.
std::vector<std::string> joining_options(const std::string& node_conf);

// The text of that file for options without quotes in them.
std::string slurmd_environment(const std::vector<std::string>& options);

// Starts the daemon of a role: slurmctld, waiting until it listens; slurmd, with its options if
// there is no systemd to read them; nothing on a login node. Throws Error if slurmctld ends or does
// not listen within 30 s.
void start_daemons(const std::string& role, IfRunning running = IfRunning::keep,
                   const std::vector<std::string>& slurmd_options = {});

// This machine's Slurm; 0.0.0 if it is not installed, or only its clients are and the caller is not
// root. Throws Error.
SlurmVersion slurm_version();

// On a node whose PID 1 is ours: restarts a daemon by name ("slurmctld") and waits until it serves.
// Jobs continue. Throws Error.
void restart_daemon(const std::string& name);

}  // namespace slipway::node
