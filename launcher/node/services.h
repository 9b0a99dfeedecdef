// The services of a node: munge everywhere, slurmctld on the controller, slurmd on compute nodes.
//
// Called in the node's own root, with Slurm's files in /etc/slurm, by PID 1 of a local node and by
// the boot of a machine. Where systemd runs, services are its units; elsewhere they are processes
// that we start, and those that run already are left alone.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace slipway::node {

inline constexpr int slurmctld_port = 6817;
inline constexpr int slurmd_port = 6818;

// A daemon that stays in the foreground.
struct Service {
  std::vector<std::string> argv;
  std::string user = "root";
  std::string log;   // takes its stdout and stderr
  std::string unit;  // of systemd, where that runs
};

// Starts it as a child. Throws Error when the program is missing or the user unknown.
pid_t start_service(const Service& service);

// Makes the folders that Slurm writes to, with the owners that it asks for.
void prepare_folders();

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

}  // namespace slipway::node
