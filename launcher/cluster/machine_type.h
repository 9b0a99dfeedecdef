// A machine type of the cloud.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "common/node_transport.h"

namespace slipway::cluster {

// One of the cloud's machine types, as its nodes see themselves.
struct MachineType {
  struct Nic {
    std::string name;       // on the Ubuntu images: "enp0s12"
    std::string purpose;    // "host" or "gpu"
    int64_t mtu_bytes = 0;  // of the network in the vendor's reference deployment
  };

  std::string name;  // "a3-megagpu-8g"
  int64_t gpu_count = 0;
  std::string gpu_model;  // the cloud's name: "nvidia-h100-mega-80gb"; empty without GPUs
  int64_t sockets = 0;
  int64_t cores_per_socket = 0;
  int64_t threads_per_core = 0;
  int64_t memory_mib = 0;  // as sold; an operating system sees less
  std::vector<Nic> nics;   // in the order in which the cloud attaches networks
  std::string transport;   // a row of transports.yaml
  // What runs beside GPU jobs on several of these machines, and the targets that provide it.
  struct Daemon {
    NodeTransport::Daemon daemon;
    std::set<std::string> places;
  };
  std::vector<Daemon> daemons = {};

  // How many machines share one NVLink domain if placed together; 0: each is its own.
  int64_t nvlink_domain_machines = 0;

  // Not in the catalogue: the processors and the memory are worked out from the name.
  bool assumed = false;

  int64_t cpus() const { return sockets * cores_per_socket * threads_per_core; }

  // The interface for the nth network, from 0. A machine type without GPU interfaces can have more
  // than the catalogue lists; their names continue: ens4, ens5. Throws Error if there is no nth.
  Nic nic(size_t n) const;
  size_t most_networks() const;
};

}  // namespace slipway::cluster
