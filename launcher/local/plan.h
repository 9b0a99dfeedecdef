// The plan of a local cluster: everything that is decided before anything starts.
//
// A pure function of the cluster model and the catalogue, so that it can be read and tested without
// starting a cluster.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "common/node_profile.h"
#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/model.h"
#include "launcher/node/installed_slurm.h"

namespace slipway::local {

// A VPC network: a bridge in the deployment's network namespace.
struct Bridge {
  std::string name;     // "vpc0"
  std::string network;  // the network's name in the blueprint
  std::string address;  // of the bridge itself, the subnet's gateway: "10.0.0.1/16"
  int64_t mtu_bytes = 0;
};

// A network interface of a node: one end of a veth pair whose other end is in the bridge.
struct Port {
  std::string interface;  // its name in the node, "enp0s12"
  std::string address;    // "10.0.0.2/16"
  int64_t mtu_bytes = 0;
  size_t bridge = 0;  // index into Plan::bridges
};

struct Mount {
  std::string shared;  // id of the shared file system
  std::string target;  // where the node sees it
};

struct PlannedNode {
  std::string name;
  std::string role;  // "controller", "login" or "compute"
  std::string machine_type;
  std::vector<Port> ports;
  std::vector<Mount> mounts;             // parents before mounts below them
  std::vector<std::string> gpu_devices;  // device nodes to make, "/dev/nvidia0", …
  std::string node_json;                 // text of /etc/slipway/node.json
  bool on_demand = false;                // runs only while a job needs it
  size_t slot = 0;                       // makes the names of its interfaces' bridge ends unique
  std::string image = {};  // that it starts from (image_store.h); empty: this machine's own root
};

// Files of a machine's image: text by path.
using MachineFiles = std::map<std::string, std::string>;

struct Plan {
  std::string deployment;
  std::string cluster;
  std::vector<Bridge> bridges;
  std::vector<std::string> shared;                 // ids of the shared file systems
  std::vector<PlannedNode> nodes;                  // the controller first, on-demand nodes last
  std::map<std::string, std::string> slurm_files;  // text by name in /etc/slurm
  std::string slurmdbd_conf;                       // its text; empty: no accounting
  std::string monitoring = "none";                 // "metrics" or "prometheus": node/monitoring.h
  bool tells = false;                              // the health policy has `tell`
  bool admits = false;                             // the health policy has `deep_checks`
  std::string hosts;                               // text of /etc/hosts
  // By machine type: what scripts expect of its image, such as its transport's profile.
  std::map<std::string, MachineFiles> machine_files;

  // The node with this name; nullptr if the plan has no such node.
  const PlannedNode* find(std::string_view name) const {
    const auto found = std::ranges::find(nodes, name, &PlannedNode::name);
    return found == nodes.end() ? nullptr : &*found;
  }
  const PlannedNode& controller() const { return nodes.front(); }
  bool elastic() const { return nodes.back().on_demand; }
  // The image of all nodes, unless they are just changing to another: then the controller is ahead.
  const std::string& image() const { return controller().image; }
  void start_from(const std::string& image) {
    for (PlannedNode& node : nodes) node.image = image;
  }
  MachineFiles files_of(const PlannedNode& node) const {
    const auto found = machine_files.find(node.machine_type);
    return found == machine_files.end() ? MachineFiles() : found->second;
  }
};

// `current` is the running deployment's plan, if any: its nodes and networks keep their addresses
// and interface names. Throws Error if a network is too small for its nodes or a machine has too
// few interfaces.
//
// `slurm`: the version that the nodes have (slurm_of_image()).
Plan make_plan(const cluster::Cluster& cluster, const cluster::Catalogue& catalogue,
               const Plan* current = nullptr, const node::InstalledSlurm& slurm = {});

// Throws Error where make_plan() would, without making the texts of nodes' profiles.
void require_plan(const cluster::Cluster& cluster, const cluster::Catalogue& catalogue);

// What `slipway status` shows of a deployment whose supervisor is gone; schema slipway/local/1.
nlohmann::json describe(const Plan& plan);

}  // namespace slipway::local
