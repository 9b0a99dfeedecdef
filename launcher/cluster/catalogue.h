// The catalogue: what is known of machine types and of the transports between their GPUs.
//
// It is data (blueprints/catalogue/), each figure with its source; this is its reader. Expected
// bandwidths (bandwidth_reader.h) and cloud quotas are other files, other readers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
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

// One machine type of a cloud, as its nodes look from inside.
struct MachineType {
  struct Nic {
    std::string name;       // on the Ubuntu images: "enp0s12"
    std::string purpose;    // "host" or "gpu"
    int64_t mtu_bytes = 0;  // of the network that the vendor's reference deployment gives it
  };

  std::string name;  // "a3-megagpu-8g"
  int64_t gpu_count = 0;
  std::string gpu_model;  // as the cloud names it: "nvidia-h100-mega-80gb"; empty without GPUs
  int64_t sockets = 0;
  int64_t cores_per_socket = 0;
  int64_t threads_per_core = 0;
  int64_t memory_mib = 0;  // what the vendor sells; an operating system sees less
  std::vector<Nic> nics;   // in the order in which the cloud attaches networks to them
  std::string transport;   // a row of transports.yaml
  // Machines whose GPUs are one NVLink domain, when they stand together; 0: each is for itself.
  int64_t nvlink_domain_machines = 0;

  int64_t cpus() const { return sockets * cores_per_socket * threads_per_core; }

  // Of the interface for the nth network, from 0. A machine without interfaces beside GPUs can have
  // more than the catalogue lists: their names are counted on, ens4, ens5. Throws Error when there
  // is none.
  Nic nic(size_t n) const;
  size_t most_networks() const;
};

// One way for NCCL to reach the GPUs of other nodes, and the environment that it needs.
struct TransportType {
  struct Rule {
    std::string name;    // "NCCL_SOCKET_IFNAME"
    std::string value;   // may hold $(host_nics) and $(gpu_nics): interface names joined by commas
    std::string why;     // a sentence for the user
    std::string source;  // who says so
  };

  std::string name;  // "socket"
  std::string about;
  std::vector<Rule> environment;  // empty: no rules here, nodes use `socket` instead
  NodeTransport node = {};  // the rest, as nodes have it, but for $(host_nics) and $(gpu_nics)
};

// A bandwidth that machines of a type have been seen to reach.
struct ExpectedFigure {
  std::string machine;
  NodeProfile::ExpectedBandwidth expected;
};

class Catalogue {
 public:
  Catalogue() = default;
  Catalogue(std::map<std::string, MachineType> machines,
            std::map<std::string, TransportType> transports);

  // nullptr when there is no such row.
  const MachineType* find_machine(std::string_view name) const;
  const TransportType* find_transport(std::string_view name) const;

  // The row of `name`. Throws Error with a suggestion when there is none.
  const MachineType& machine(std::string_view name) const;
  const TransportType& transport(std::string_view name) const;

  // Every machine type by name, sorted: for suggestions.
  std::vector<std::string> machine_types() const;

  std::vector<ExpectedFigure> bandwidth;  // empty until load_bandwidth

  bool complete = true;  // false when a row was wrong and is left out

 private:
  std::map<std::string, MachineType> machines_;
  std::map<std::string, TransportType> transports_;
};

// Who makes no node profiles needs no transports: their file is large, and need not be read.
enum class Transports { read, left_out };

// Reads machines.yaml and transports.yaml of `folder` (<blueprints>/catalogue) into `sources`. What
// is wrong in them goes to `diagnostics`, which must be of the same sources; a wrong row is left
// out. Throws Error when a file cannot be read.
Catalogue load_catalogue(const std::filesystem::path& folder, source::Sources& sources,
                         source::Diagnostics& diagnostics,
                         Transports transports = Transports::read);

}  // namespace slipway::cluster
