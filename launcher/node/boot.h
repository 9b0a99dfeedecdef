// What a machine on Google Cloud does when it boots: docs/guides/google-cloud.md.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "launcher/node/cloud.h"
#include "launcher/node/metadata.h"

namespace slipway::node {

// Makes this machine a running part of its cluster, as root: asks the cloud for its identity,
// fetches the cluster's files and key, mounts the configured storage, and starts the daemons of its
// role. Can be repeated without effect. Reports slow steps and anomalies to `say`. Throws Error if
// the deadline passes.
void boot(Cloud& cloud, std::chrono::seconds deadline,
          const std::function<void(const std::string&)>& say);

// This machine's identity, and the current content of its cluster's cluster.json. Throws Error if
// there is no answer in time. If cluster.json asks for it, `cloud` logs all further requests.
MachineMetadata fetch_machine_metadata(Cloud& cloud, const Patience& patience);
ClusterFile fetch_cluster_file(Cloud& cloud, const MachineMetadata& self, const Patience& patience);

// The cluster's key: version 1 of its secret, whichever machine made it. A controller makes it if
// it does not exist. If two controllers do so at once, they make two versions, and both use the
// first. Throws NotYet if the key does not exist.
std::string cluster_key(Cloud& cloud, const std::string& secret, bool may_make);

}  // namespace slipway::node
