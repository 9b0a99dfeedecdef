// The cluster model: what a blueprint means, without a word of YAML or of any cloud.
//
// The back ends (google, local) and the Slurm writer read this and nothing before it. `slipway
// model` prints it as JSON. Every id here is a module id of the blueprint unless said otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace slipway::cluster {

// A VPC network with its one subnetwork.
struct Network {
  std::string id;    // the module's; of a module that makes several, with the number: "gpunets[0]"
  std::string name;  // "quickstart-net"
  std::string cidr;  // IPv4 range of the subnetwork, "10.0.0.0/16"; empty when only the cloud knows
  int64_t mtu_bytes = 0;  // 0: the machine type's
};

// A file system that nodes mount.
struct FileSystem {
  std::string id;
  std::string kind;      // "nfs", "gcsfuse" (a bucket) or "lustre"
  std::string mount;     // where nodes see it, "/home"
  int64_t size_gib = 0;  // 0: it grows
  std::string network;   // id of the network that it is reached by; empty: by any
};

// What a machine of the cluster is made of, whatever its role.
struct MachineSpec {
  std::string machine_type;               // a row of blueprints/catalogue/machines.yaml
  std::vector<std::string> networks;      // ids, in the order of the machine's network interfaces
  std::vector<std::string> file_systems;  // ids
};

// A number of equal compute nodes: <cluster>-<name>-0, -1, …
struct Nodeset {
  std::string id;
  std::string name;  // Slurm's NodeSet: the id without [^a-z0-9], at most 14 characters
  MachineSpec machine;
  int64_t node_count_static = 0;
  int64_t node_count_dynamic_max = 0;
  std::map<std::string, std::string> node_conf;  // slurm.conf keys that override the catalogue's
  // Of nodes that someone else starts and that join by themselves: they announce it. Empty: nodes
  // are numbered, and there is a line of slurm.conf about them.
  std::string feature = {};
};

struct Partition {
  std::string id;
  std::string name;
  std::vector<std::string> nodesets;  // names of nodesets, not ids
  bool is_default = false;
  bool exclusive = true;                              // one job a node
  std::map<std::string, std::string> partition_conf;  // slurm.conf keys that override ours
};

// A number of equal login nodes: <cluster>-<name>-001, -002, …
struct Login {
  std::string id;
  std::string name;
  MachineSpec machine;
  int64_t count = 1;
};

// The machine of slurmctld: <cluster>-controller
struct Controller {
  std::string id;
  MachineSpec machine;
  bool accounting = false;            // slurmdbd and its database run there, too
  std::string health_policy = {};     // the site's own, for all nodes: text of a file; may be empty
  bool private_tmp = true;            // each job has a /tmp, /var/tmp and /dev/shm of its own
  std::string private_tmp_path = {};  // where they are on nodes; empty: where Slipway makes room
};

struct Cluster {
  std::string deployment;  // vars.deployment_name
  std::string
      name;  // Slurm's ClusterName, made from the deployment's name where the blueprint gives none
  std::vector<Network> networks;
  std::vector<FileSystem> file_systems;
  std::vector<Nodeset> nodesets;
  std::vector<Partition> partitions;
  std::vector<Login> logins;
  Controller controller;
};

// One machine of the cluster, as every back end starts it.
struct Node {
  std::string name;   // "quickstart-a3meganodeset-0": Slurm's NodeName and the host name
  std::string role;   // "controller", "login" or "compute"
  std::string group;  // id of the controller, login or nodeset that it belongs to
  MachineSpec machine;
  bool on_demand = false;  // runs only while a job needs it
};

// Every static machine: the controller, the logins, then the nodesets' nodes, each in the order of
// the model.
std::vector<Node> nodes(const Cluster& cluster);

// The dynamic ones of all nodesets, which are there on demand, in the order of the model.
std::vector<Node> dynamic_nodes(const Cluster& cluster);

}  // namespace slipway::cluster
