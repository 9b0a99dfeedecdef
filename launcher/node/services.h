// The services of a node: munge everywhere, slurmctld on the controller, slurmd on compute nodes.
//
// Called in the node's own root, with Slurm's files in /etc/slurm, by PID 1 of a local node and by
// the boot of a machine.
#pragma once

#include <string>
#include <vector>

#include "launcher/node/service.h"

namespace slipway::node {

inline constexpr int slurmctld_port = 6817;
inline constexpr int slurmd_port = 6818;

// Makes the folders that Slurm writes to, with the owners that it asks for.
void prepare_folders();

// On a compute node: gives slurmd's spool a file system of its own, in memory, so that it has room
// for jobs whatever fills the disk. Nothing when it has one, or slurmd runs. Throws Error.
void prepare_spool();

// On a compute node: makes the folder in which users' launchers leave reports for root, as a file
// system of its own, for what they fill is not to be /run. Nothing when it is there. Throws Error.
void prepare_reports();

// Puts the cluster's key where munged looks for it, readable by munge alone. True when another one,
// or none, was there.
bool write_munge_key(const std::string& key);

// Starts munged and waits until it answers; `anew` when what it has read is no longer so. Throws
// Error when it does not within 10 s.
void start_munge(bool anew = false);

// Where Debian's unit of slurmd has its options from.
inline constexpr const char* slurmd_options_path = "/etc/default/slurmd";

// A node that joins by itself tells slurmctld what it is: options of slurmd.
std::vector<std::string> joining_options(const std::string& node_conf);

// The text of that file for options without quotes in them.
std::string slurmd_environment(const std::vector<std::string>& options);

// Starts the daemon of a role: slurmctld, and waits until it listens; slurmd, with options where
// there is no systemd to read them; none for a login node. Throws Error when slurmctld ends, or
// does not listen within 30 s.
void start_daemons(const std::string& role, bool anew = false,
                   const std::vector<std::string>& slurmd_options = {});

// The version of this node's Slurm, "24.11.5"; "" without one.
std::string slurm_version();

// On a node whose PID 1 is ours: ends a daemon of this node by its name ("slurmctld"), has it
// started again, and waits until it serves. Jobs go on. Throws Error.
void restart_daemon(const std::string& name);

}  // namespace slipway::node
