// The node profile (/etc/slipway/node.json): the deployer's description of a node.
//
// It is the only contract between the deployer and the programs on a node. The SPANK plugins, the
// health checks and the bandwidth tests know their machine from this file.
// Schema: docs/schemas/node-1.schema.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/node_transport.h"

namespace slipway {

inline constexpr std::string_view node_profile_schema = "slipway/node/1";
inline constexpr std::string_view node_profile_path = "/etc/slipway/node.json";

struct NodeProfile {
  struct Gpus {
    int64_t count = 0;
    std::string model;  // the cloud's name: "nvidia-h100-mega-80gb"; empty if count is 0
    std::vector<std::string> devices;             // device nodes in GPU order: "/dev/nvidia0", …
    std::vector<std::string> pci_addresses = {};  // in the same order; empty if unknown
  };

  // One network interface, in the order of the machine type.
  struct Interface {
    std::string name;     // "enp0s12"
    std::string purpose;  // "host": control and sockets; "gpu": a NIC for GPU traffic
    std::string network;  // name of its network
    std::string address;  // IPv4 address with prefix length, "10.0.0.5/24"; empty if the cloud
                          // assigns it
    int64_t mtu_bytes = 0;
    std::string rdma_device = {};    // "mlx5_0"; empty without RDMA
    std::string pci_address = {};    // "0000:18:00.0"; empty if unknown
    std::vector<int64_t> gpus = {};  // the GPUs that are nearest to it on the PCI bus, from 0
  };

  using Variable = NodeTransport::Variable;
  using Transport = NodeTransport;

  // A bandwidth that was measured on this machine type.
  struct ExpectedBandwidth {
    // The figure holds on more nodes, from as many bytes per rank on.
    struct MoreNodes {
      int64_t up_to = 0;     // nodes
      double tolerance = 0;  // instead of the figure's
      std::string because;   // "the same bytes per rank make the same steps of a ring"
    };

    std::string collective;      // "all_gather"
    int64_t nodes = 0;           // number of nodes of the run
    int64_t size_bytes = 0;      // message size to which it applies, as in the column `size`
    double busbw_gb_per_s = 0;   // GB = 1e9 bytes
    double tolerance = 0;        // 0.1: a run passes at 90 % of busbw_gb_per_s
    std::string source;          // who measured it, and where
    std::string transport = {};  // the transport of the measurement: "tcpxo"; empty: any
    int64_t ranks_per_node = 0;  // of the run; 0: any
    std::optional<MoreNodes> more_nodes = {};
  };

  // Where machines have no speed of their own, as in a local cluster: the bandwidth is judged by
  // its ratio to a control that is measured in turn with it.
  struct BandwidthControl {
    std::string kind;              // "loopback": TCP over the node's own loopback interface
    double least_ratio = 0;        // 0.1: a run passes at 10 % of the control's bandwidth
    int64_t least_size_bytes = 1;  // smaller runs measure latency and are not judged
    std::string source;            // who measured it, where
  };

  std::string deployment;    // vars.deployment_name of the blueprint
  std::string cluster;       // Slurm's ClusterName
  std::string node;          // Slurm's NodeName and the host name
  std::string role;          // "compute", "login" or "controller"
  std::string target;        // where it was deployed: "local", "google", or "hosts" if it was there
  std::string machine_type;  // "a3-megagpu-8g"; "hardware" if no row of the catalogue fits
  Gpus gpus;
  std::vector<Interface> network_interfaces;
  // Hardware that is there, but not in use. Whatever is not in the profile at all is a surprise.
  std::vector<std::string> unused_interfaces = {};
  std::vector<std::string> mounts;  // where file systems of the cluster are mounted, "/home"
  Transport transport;
  // What the machine type needs beside a GPU job on several nodes, whatever its transport.
  std::vector<NodeTransport::Daemon> daemons = {};
  std::vector<ExpectedBandwidth> expected_bandwidth;
  std::optional<BandwidthControl> bandwidth_control;  // none where figures are expected
  // Where a value comes from, if the profile was made from what a machine says of itself:
  // {"gpus.model": "PCI device 10de:2330"}.
  std::map<std::string, std::string> origins = {};
};

// As JSON text, two spaces of indentation, a line feed at the end; keys in the order of the schema.
std::string to_json(const NodeProfile& profile);

// Reads the text of a node profile. `path` is for messages. Unknown keys are accepted, since a
// newer deployer may write more. Throws Error with the path and the key for a different schema, a
// missing key or a wrong type.
NodeProfile parse_node_profile(std::string_view text, const std::filesystem::path& path);

// Reads `path`. Throws Error if it cannot be read or is not a node profile.
NodeProfile load_node_profile(const std::filesystem::path& path = node_profile_path);

}  // namespace slipway
