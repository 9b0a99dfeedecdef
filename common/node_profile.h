// The node profile (/etc/slipway/node.json): what a node is told about itself.
//
// It is the one contract between the deployer and what runs on a node: the SPANK plugins, the
// health checks and the bandwidth tests know their machine because the deployer wrote this file.
// Schema: docs/schemas/node-1.schema.json.
#pragma once

#include <cstdint>
#include <filesystem>
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
    std::string model;  // as the cloud names it: "nvidia-h100-mega-80gb"; empty when count is 0
    std::vector<std::string> devices;  // device nodes in GPU order: "/dev/nvidia0", …
  };

  // One network interface, in the order of the machine type.
  struct Interface {
    std::string name;     // "enp0s12"
    std::string purpose;  // "host": control and sockets; "gpu": one of the NICs beside the GPUs
    std::string network;  // name of the network that it is attached to
    std::string address;  // IPv4 address with prefix length, "10.0.0.5/24"; empty where the cloud
                          // assigns it
    int64_t mtu_bytes = 0;
  };

  using Variable = NodeTransport::Variable;
  using Transport = NodeTransport;

  // A bandwidth that this machine type has been seen to reach.
  struct ExpectedBandwidth {
    std::string collective;  // "all_gather"
    int64_t nodes = 0;       // number of nodes of the run
    int64_t size_bytes = 0;  // message size at which it is judged, as printed in the column `size`
    double busbw_gb_per_s = 0;   // GB = 1e9 bytes
    double tolerance = 0;        // 0.1: a run passes at 90 % of busbw_gb_per_s
    std::string source;          // who measured it, where
    std::string transport = {};  // over which it was reached: "tcpxo"; empty: over any
  };

  std::string deployment;    // vars.deployment_name of the blueprint
  std::string cluster;       // Slurm's ClusterName
  std::string node;          // Slurm's NodeName and the host name
  std::string role;          // "compute", "login" or "controller"
  std::string target;        // where it was deployed: "local" or "google"
  std::string machine_type;  // "a3-megagpu-8g"
  Gpus gpus;
  std::vector<Interface> network_interfaces;
  std::vector<std::string> mounts;  // where file systems of the cluster are mounted, "/home"
  Transport transport;
  std::vector<ExpectedBandwidth> expected_bandwidth;
};

// As JSON text, two spaces of indentation, a line feed at the end; keys in the order of the schema.
std::string to_json(const NodeProfile& profile);

// Reads the text of a node profile. `path` is for messages. Unknown keys are accepted (a newer
// deployer may say more); another schema, a missing key or a wrong type throws Error with the path
// and the key.
NodeProfile parse_node_profile(std::string_view text, const std::filesystem::path& path);

// Reads `path`. Throws Error when it cannot be read or is not a node profile.
NodeProfile load_node_profile(const std::filesystem::path& path = node_profile_path);

}  // namespace slipway
