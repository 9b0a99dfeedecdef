// Makes this machine, which exists already, a node of a cluster: `slipway node join`. The order
// comes from `slipway deploy`, by ssh. docs/start/own-machines.md
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace slipway::node {

inline constexpr const char* join_schema = "slipway/join/1";

// What the machine is to become.
struct JoinOrder {
  std::string deployment;
  std::string role;                            // "controller", "login" or "compute"
  std::string profile;                         // text of its node profile
  std::map<std::string, std::string> files;    // Slurm's, by their name in /etc/slurm
  std::map<std::string, std::string> scripts;  // around jobs: job_scripts.h
  std::string monitoring = "none";             // "metrics" or "prometheus": it serves its metrics
  std::string key;  // munge's; empty on the controller, which has one or makes one
  std::map<std::string, std::string> hosts;  // on the controller: the addresses of all hosts, by
                                             // name, for the next deploy
};

// What was done.
struct Joined {
  std::vector<std::string> changed;                 // "slurm.conf"
  std::vector<std::string> restarted;               // daemons that run with other files now
  std::string key;                                  // on the controller
  std::map<std::string, std::string> former_hosts;  // on the controller: those of the order before
};

std::string to_json(const JoinOrder& order);
std::string to_json(const Joined& joined);
// Throw Error.
JoinOrder parse_join_order(const std::string& text);
Joined parse_joined(const std::string& text);

// The deployment that this machine has joined; empty if there is none.
std::string joined_deployment();

// Whether its Slurm was set up by something else: there is a slurm.conf, and no deployment.
bool has_foreign_slurm();

// Writes the files, removes those of the order before that are no longer in it, and starts the
// daemons of the role, also at each boot. A daemon that runs is restarted only if its files have
// changed; jobs go on. Throws Error, without a change, if the machine is in another deployment or
// its Slurm is not ours.
Joined join_cluster(const JoinOrder& order);

// At boot: makes the folders and mounts that the daemons of the machine's role need. Throws Error.
void prepare_joined_node();

// The reverse: stops Slurm's daemons and removes the files. Slurm's state and logs stay, and so do
// munge and its key. Returns what was removed; nothing if the machine is in no deployment. Throws
// Error if it is in another deployment than this.
std::vector<std::string> leave_cluster(const std::string& deployment);

}  // namespace slipway::node
