// The catalogue: machine types, and the transports between their GPUs.
//
// The catalogue is data (blueprints/catalogue/), each figure with its source; this file looks it
// up. Expected bandwidths (bandwidth_reader.h) and cloud quotas have their own files and readers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/node_profile.h"
#include "common/node_transport.h"

namespace slipway::source {
class Diagnostics;
class Sources;
}  // namespace slipway::source

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

  int64_t cpus() const { return sockets * cores_per_socket * threads_per_core; }

  // The interface for the nth network, from 0. A machine type without GPU interfaces can have more
  // than the catalogue lists; their names continue: ens4, ens5. Throws Error if there is no nth.
  Nic nic(size_t n) const;
  size_t most_networks() const;
};

// A way for NCCL to reach the GPUs of other nodes, and the environment that it needs.
struct TransportType {
  struct Rule {
    std::string name;    // "NCCL_SOCKET_IFNAME"
    std::string value;   // may contain $(host_nics) and $(gpu_nics): interface names joined by
                         // commas
    std::string why;     // a sentence for the user
    std::string source;  // where this is documented
  };

  std::string name;  // "socket"
  std::string about;
  std::set<std::string> places;   // the targets that provide it: "google"; `socket` works anywhere
  std::vector<Rule> environment;  // empty: no rules, nodes use `socket` instead
  NodeTransport node = {};  // the rest of a node's settings, except $(host_nics) and $(gpu_nics)
};

// A bandwidth that machines of a type should reach.
struct ExpectedFigure {
  std::string machine;
  NodeProfile::ExpectedBandwidth expected;
};

// How bandwidth is judged where machines have no speed of their own.
struct BandwidthControl {
  std::string target;  // "local"
  NodeProfile::BandwidthControl control;
};

class Catalogue {
 public:
  Catalogue() = default;
  Catalogue(std::map<std::string, MachineType> machines,
            std::map<std::string, TransportType> transports);

  // nullptr if there is no such row.
  const MachineType* find_machine(std::string_view name) const;
  const TransportType* find_transport(std::string_view name) const;

  // The row `name`. Throws Error with a suggestion if it does not exist.
  const MachineType& machine(std::string_view name) const;
  const TransportType& transport(std::string_view name) const;

  // The names of all machine types, sorted; for suggestions.
  std::vector<std::string> machine_types() const;

  std::vector<ExpectedFigure> bandwidth;             // empty until load_bandwidth
  std::vector<BandwidthControl> bandwidth_controls;  // one a target; the same

  bool complete = true;  // false if a wrong row was left out

 private:
  std::map<std::string, MachineType> machines_;
  std::map<std::string, TransportType> transports_;
};

// Only node profiles need transports, whose file is large.
enum class Transports { read, left_out };

// Reads machines.yaml and transports.yaml of `folder` (<blueprints>/catalogue) into `sources`.
// Problems go to `diagnostics`, which must use the same sources; a wrong row is left out. Throws
// Error if a file cannot be read.
Catalogue load_catalogue(const std::filesystem::path& folder, source::Sources& sources,
                         source::Diagnostics& diagnostics,
                         Transports transports = Transports::read);

}  // namespace slipway::cluster
