// What a pod on Kubernetes, or a replica on Vertex AI, needs for a transport: the parts
// `kubernetes` and `vertex` of a row of transports.yaml.
#pragma once

#include <string>
#include <vector>

#include "common/node_transport.h"

namespace slipway::source {
class Diagnostics;
}

namespace slipway::cluster {

class RowReader;

struct PodNetwork {
  // A path of the machine that a container mounts.
  struct HostPath {
    std::string name, path, at;
  };

  // How the transport's daemon runs beside the tasks.
  struct Daemon {
    std::vector<std::string> command;  // empty: the transport has no daemon
    std::vector<std::string> capabilities;
    std::vector<std::string> devices;
    std::vector<HostPath> host_paths;
  };

  std::vector<std::string> host, gpu;  // interfaces in the pod; empty: not known there
  std::vector<std::string> networks;   // Network objects of the GPUs' interfaces, in their order
  std::string folder;                  // of the libraries, in place of that on a machine
  std::string configuration;           // the folder of the files that they read
  std::vector<HostPath> host_paths;
  std::vector<std::string> shared;  // folders that the tasks and the daemon share
  std::vector<NodeTransport::Variable> environment;
  Daemon daemon;

  bool is_known() const { return !host.empty(); }
};

// Reads the mapping except its source and `environment`, which are read as in other rows.
PodNetwork read_pod_network(RowReader& row, source::Diagnostics& diagnostics);

// The same for `vertex`.
PodNetwork read_replica_network(RowReader& row);

}  // namespace slipway::cluster
