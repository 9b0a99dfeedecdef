// Job accounting on a controller: starts slurmdbd and the MariaDB that stores its data.
#pragma once

#include <filesystem>
#include <string>

#include "launcher/node/service.h"

namespace slipway::node {

// Where the database is kept. To make job history outlive the node, mount storage there.
inline constexpr const char* database_folder = "/var/lib/mysql";

// Where slurmdbd.conf is written, readable by slurmdbd only. A symbolic link in /etc/slurm, which
// all nodes share, points to it.
inline constexpr const char* slurmdbd_conf_path = "/run/slurm/slurmdbd.conf";

// Clients' default, or what that links to.
inline constexpr const char* database_socket = "/run/mysqld/mysqld.sock";
inline constexpr int slurmdbd_port = 6819;

// On a controller whose state is on a disk of its own: the database is there, too, so that the
// history of jobs outlives the machine. Throws Error.
void keep_database_with_state();

// Starts slurmdbd with a database that runs elsewhere, and waits until it answers. Call after munge
// and before slurmctld. slurmdbd that runs is restarted if `running` says so. Throws Error.
// `waits`: another machine's slurmdbd answers, and this one listens only once that is away.
void start_slurmdbd(const std::string& slurmdbd_conf, IfRunning running = IfRunning::keep,
                    bool waits = false);

// Whether slurmdbd runs, listening or not.
bool slurmdbd_runs();

// Writes slurmdbd.conf, readable by slurmdbd only.
void write_slurmdbd_conf(const std::string& slurmdbd_conf);

// Creates the database the first time, starts it, waits until it answers, and then does the same
// for slurmdbd. The database has a socket and no port, and identifies the machine's users root and
// slurm through that socket; there is no password. Call after munge and before slurmctld. slurmdbd
// that runs is restarted if `running` says so. Throws Error.
void start_accounting(const std::string& slurmdbd_conf, IfRunning running = IfRunning::keep);

// Where the tables of the database are, if it runs on this machine and was created.
std::filesystem::path database_tables();

// Makes Slurm's database again from SQL statements, each of which ends with `;` at the end of a
// line. The server must not run. Throws Error with its words; some statements were executed then.
void replace_database(const std::string& statements);

}  // namespace slipway::node
