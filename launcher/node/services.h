// The services of a node: munge everywhere, slurmctld on the controller, slurmd on compute nodes.
//
// Called by PID 1 of a node, in the node's own root, with Slurm's files in /etc/slurm and the key
// in /etc/munge.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace slipway::node {

inline constexpr int slurmctld_port = 6817;

// A daemon that stays in the foreground.
struct Service {
  std::vector<std::string> argv;
  std::string user = "root";
  std::string log;  // takes its stdout and stderr
};

// Starts it as a child. Throws Error when the program is missing or the user unknown.
pid_t start_service(const Service& service);

// Makes the folders that Slurm writes to, with the owners that it asks for.
void prepare_folders();

// Puts the cluster's key where munged looks for it, readable by munge alone.
void write_munge_key(const std::string& key);

// Starts munged and waits until it answers. Throws Error when it does not within 10 s.
void start_munge();

// Starts slurmctld and waits until it listens. Throws Error when it ends, or does not listen within
// 30 s.
void start_slurmctld();

void start_slurmd();

}  // namespace slipway::node
