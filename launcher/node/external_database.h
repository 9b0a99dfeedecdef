// slurmdbd.conf for a database that is on another machine, such as Cloud SQL.
#pragma once

#include <string>

#include "launcher/node/cloud.h"
#include "launcher/node/metadata.h"

namespace slipway::node {

// The lines of slurmdbd.conf(5) with which slurmdbd logs in, from the secret: a JSON object with
// server_ip ("10.0.0.5" or "10.0.0.5:3306"), user, password and db_name. Throws Error without
// showing the secret.
std::string login_lines(const std::string& secret);

// slurmdbd.conf for this controller: a first line that changes with the configuration, the
// cluster's file, and how to log in. Only slurmdbd's user may read it. Throws Error.
std::string own_slurmdbd_conf(const Patience& patience, Cloud& cloud, const MachineMetadata& self,
                              const ClusterFile& cluster);

// That first line.
std::string slurmdbd_conf_mark(const ClusterFile& cluster);

// Whether slurmdbd runs on this controller: a second one needs a database that both reach.
bool runs_slurmdbd(const MachineMetadata& self, const ClusterFile& cluster);

}  // namespace slipway::node
