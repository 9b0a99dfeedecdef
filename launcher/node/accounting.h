// Job accounting on a controller: slurmdbd, and the MariaDB that keeps what it is told.
#pragma once

#include <string>

namespace slipway::node {

// Where the database is kept. Whoever wants the history of jobs to outlive the node mounts storage
// there.
inline constexpr const char* database_folder = "/var/lib/mysql";

// Where slurmdbd.conf is written, for slurmdbd's eyes only: /etc/slurm, which all nodes have, leads
// there by a symbolic link.
inline constexpr const char* slurmdbd_conf_path = "/run/slurm/slurmdbd.conf";

inline constexpr const char* database_socket = "/run/mysqld/mysqld.sock";  // as clients expect it
inline constexpr int slurmdbd_port = 6819;

// Makes the database the first time, starts it, waits until it answers, and then the same with
// slurmdbd. The database has a socket and no port, and knows the users root and slurm of this
// machine by that socket: there is no password. To be called after munge and before slurmctld.
// Throws Error.
void start_accounting(const std::string& slurmdbd_conf);

}  // namespace slipway::node
