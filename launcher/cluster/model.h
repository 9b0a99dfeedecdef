// The cluster model: what a blueprint describes, independent of YAML and of any cloud.
//
// The back ends (google, local) and the Slurm writer read only this. `slipway model` prints it as
// JSON. Ids are module ids of the blueprint unless noted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "launcher/blueprint/machines.h"

namespace slipway::cluster {

// A VPC network with its single subnetwork.
struct Network {
  std::string id;    // the module's; with a number if the module makes several: "gpunets[0]"
  std::string name;  // "quickstart-net"
  std::string cidr;  // IPv4 range of the subnetwork, "10.0.0.0/16"; empty if only the cloud knows
                     // it
  int64_t mtu_bytes = 0;  // 0: the machine type's default
};

// A file system that nodes mount.
struct FileSystem {
  std::string id;
  std::string kind;      // "nfs", "gcsfuse" (a bucket) or "lustre"
  std::string mount;     // mount point on nodes unless they have another one, "/home"
  int64_t size_gib = 0;  // 0: grows as needed
  std::string network;   // id of the network that reaches it; empty: any
};

// A file system on a machine. A machine can mount one several times, at different places.
struct MountedFileSystem {
  std::string id;
  std::string mount;  // the mount point on this machine: the file system's unless the blueprint
                      // writes another one for it

  bool operator==(const MountedFileSystem&) const = default;
};

// What a machine of the cluster consists of, in any role.
struct MachineSpec {
  std::string machine_type;           // a row of blueprints/catalogue/machines.yaml
  std::vector<std::string> networks;  // ids, in the order of the machine's network interfaces
  std::vector<MountedFileSystem> file_systems;
  // What the cloud shows the machine of its type's cores; 0: all.
  int64_t threads_per_core = 0;
  int64_t visible_core_count = 0;  // in all sockets together
};

// A machine that exists already, for one of the cluster's.
using blueprint::Host;

// A group of identical compute nodes: <cluster>-<name>-0, -1, …
struct Nodeset {
  std::string id;
  std::string name;  // Slurm's NodeSet: the id without [^a-z0-9], at most 14 characters
  MachineSpec machine;
  int64_t node_count_static = 0;
  int64_t node_count_dynamic_max = 0;
  std::map<std::string, std::string> node_conf;  // slurm.conf keys that override the catalogue's
  // For nodes that someone else starts and that register themselves: the feature that they
  // announce. Empty: nodes are numbered and have a line in slurm.conf.
  std::string feature = {};
  std::vector<Host> hosts = {};  // its machines, if they exist already
};

struct Partition {
  std::string id;
  std::string name;
  std::vector<std::string> nodesets;  // nodesets by name, not id
  bool is_default = false;
  bool exclusive = true;                              // one job per node
  std::map<std::string, std::string> partition_conf;  // slurm.conf keys that override ours
};

// A group of identical login nodes: <cluster>-<name>-001, -002, …
struct Login {
  std::string id;
  std::string name;
  MachineSpec machine;
  int64_t count = 1;
  std::vector<Host> hosts = {};  // its machines, if they exist already
};

// The machine that runs slurmctld: <cluster>-controller
struct Controller {
  std::string id;
  MachineSpec machine;
  bool accounting = false;            // it also runs slurmdbd and its database
  std::string health_policy = {};     // text of the site's health policy for all nodes; may be
                                      // empty
  bool private_tmp = true;            // each job has its own /tmp, /var/tmp and /dev/shm
  std::string private_tmp_path = {};  // where these are on nodes; empty: Slipway's default
  // What provides srun's --container-image: our plugin ("slipway"), "pyxis", or "none".
  std::string containers = "slipway";
  // What watches the cluster: "none", "metrics" (nodes serve them), or also "prometheus".
  std::string monitoring = "none";

  // The following is for clusters in a cloud; a local cluster has its own settings.
  bool slurm_auth = false;  // daemons authenticate with auth/slurm instead of munge
  // Lines of these files from the blueprint, by key; they override or extend ours.
  std::map<std::string, std::string> slurm_conf = {}, slurmdbd_conf = {}, cgroup_conf = {};
  bool lists_from_template = false;  // keys whose value is a list come from the blueprint only
  // Text of scripts around jobs, by "KIND.d/NUMBER-NAME"; KIND is "prolog", "epilog", "task_prolog"
  // or "task_epilog". They run in this order.
  std::map<std::string, std::string> scripts = {};
  bool external_scripts = false;   // and those of a shared folder: launcher/node/job_scripts.h
  bool external_database = false;  // that of accounting is not on this machine
  bool has_backup = false;         // a second controller, <cluster>-controller-backup

  std::vector<Host> hosts = {};  // its machine, if that exists already
};

struct Cluster {
  std::string deployment;  // vars.deployment_name
  std::string
      name;  // Slurm's ClusterName, derived from the deployment's name unless the blueprint sets it
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
  std::string group;  // id of its controller, login or nodeset
  MachineSpec machine;
  bool on_demand = false;    // runs only while a job needs it
  std::string address = {};  // of a machine that exists already
};

// The name of the machine that runs slurmctld.
std::string controller_name(const Cluster& cluster);

// All static machines in the model's order: the controller, the logins, then the nodesets' nodes.
std::vector<Node> nodes(const Cluster& cluster);

// The dynamic nodes of all nodesets, which run on demand, in the model's order.
std::vector<Node> dynamic_nodes(const Cluster& cluster);

}  // namespace slipway::cluster
