// What a machine on Google Cloud does when it starts: docs/google-cloud.md.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "launcher/node/cloud.h"
#include "launcher/node/told.h"

namespace slipway::node {

// Makes a running part of its cluster of this machine, as root: asks the cloud who it is, fetches
// the cluster's files and key, mounts what it was told, and starts the daemons of its role. Doing
// it again changes nothing. `say` is told each step that takes time and what is odd. Throws Error
// when it cannot be done until the deadline.
void boot(Cloud& cloud, std::chrono::seconds deadline,
          const std::function<void(const std::string&)>& say);

// Who this machine is, and what the file cluster.json of its cluster says now. Throws Error when
// there is no answer in time.
Myself ask_who_i_am(Cloud& cloud, const Patience& patience);
ClusterFile ask_of_cluster(Cloud& cloud, const Myself& self, const Patience& patience);

// The cluster's key: version 1 of its secret, whoever made it. A controller makes it when there is
// none. Two controllers at the same time make two versions, and the first of them is the key of
// both. Throws NotYet when it is not there.
std::string cluster_key(Cloud& cloud, const std::string& secret, bool may_make);

}  // namespace slipway::node
