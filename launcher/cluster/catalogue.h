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
#include "launcher/cluster/machine_names.h"
#include "launcher/cluster/machine_type.h"
#include "launcher/cluster/pod_network.h"

namespace slipway::source {
class Diagnostics;
class Sources;
}  // namespace slipway::source

namespace slipway::cluster {

// A way for NCCL to reach the GPUs of other nodes, and the environment that it needs.
struct TransportType {
  struct Rule {
    std::string name;    // "NCCL_SOCKET_IFNAME"
    std::string value;   // may contain $(host_nics), $(gpu_nics) and $(rdma_devices): names
                         // joined by commas
    std::string why;     // a sentence for the user
    std::string source;  // where this is documented
  };

  // RDMA devices next to GPUs that make it the transport of a machine without a blueprint.
  struct Hardware {
    std::set<std::string> drivers;  // "mlx5_core"; empty: none
    std::string link_layer;         // "InfiniBand"; empty: any
  };

  std::string name;  // "socket"
  std::string about;
  std::set<std::string> places;   // the targets that provide it: "google"; `socket` works anywhere
  std::vector<Rule> environment;  // empty: no rules, nodes use `socket` instead
  Hardware hardware = {};
  std::vector<std::string> other_folders = {};  // of its libraries, besides node.libraries.folder
  NodeTransport node = {};                      // the rest of a node's settings, except such names
  std::set<std::string> not_in_profile = {};    // names in `environment` that the vendor's profile
                                                // does not set
  PodNetwork pods = {};                         // on Kubernetes
  PodNetwork replicas = {};                     // on Vertex AI
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
  Catalogue(MachineTable machines, std::map<std::string, TransportType> transports);

  // The machine type `name`: a row, one that its name puts together ("n2-custom-4-8192"), or one
  // that is newer than the catalogue (`assumed`). nullptr if there can be none; why_no_machine()
  // then says more, or nothing.
  const MachineType* find_machine(std::string_view name) const;
  std::string why_no_machine(std::string_view name) const;

  // nullptr if there is no such row.
  const TransportType* find_transport(std::string_view name) const;

  // The row `name`. Throws Error with a suggestion if it does not exist.
  const MachineType& machine(std::string_view name) const;
  const TransportType& transport(std::string_view name) const;

  const std::map<std::string, TransportType>& transports() const { return transports_; }

  // The names of all machine types, sorted; for suggestions.
  std::vector<std::string> machine_types() const;

  std::vector<ExpectedFigure> bandwidth;             // empty until load_bandwidth
  std::vector<BandwidthControl> bandwidth_controls;  // one a target; the same

  bool complete = true;  // false if a wrong row was left out

 private:
  MachineTable machines_;
  mutable std::map<std::string, MachineType, std::less<>>
      worked_out_;  // those without a row, once asked for
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
