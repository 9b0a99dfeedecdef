// A cloud machine's configuration: its own metadata from the metadata server, and the cluster's
// files from the bucket.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/node_profile.h"

namespace slipway::node {

// A network interface as the cloud describes it.
struct CloudInterface {
  std::string mac;      // "42:01:0a:00:00:02"
  std::string address;  // with prefix length, "10.0.0.2/16"
};

struct MachineMetadata {
  std::string name;            // machine name, which is also Slurm's NodeName
  std::string zone;            // "us-central1-a"
  std::string cluster;         // Slurm's ClusterName
  std::string role;            // "controller", "login" or "compute"
  std::string group;           // id of the module that made it
  std::string bucket, folder;  // where the cluster's files are
  std::string node_conf;       // what slurmd tells slurmctld about the node; empty: it is in
                               // slurm.conf
  std::vector<std::string>
      metadata_users;  // users besides root who may reach the metadata server; "*": everyone
  std::vector<CloudInterface> interfaces;
};

// Parses the metadata server's tree `instance`. Throws Error if a value is missing or invalid: this
// machine then does not belong to a cluster, but was started from a cluster's image.
MachineMetadata read_machine_metadata(const nlohmann::json& instance);

// A file system to mount, in a blueprint's terms.
struct NetworkStorage {
  std::string server, remote, local, type, options;

  bool is_nfs() const { return type == "nfs" || type == "nfs4"; }
};

// A way to get machines (`$defs/way` of the schema).
struct Way {
  std::string model;  // Compute Engine's scheduling.provisioningModel: "SPOT"
  std::string reservation{}, future_reservation{};  // names or paths; empty: none
  long max_run_duration_seconds = 0;                // 0: no limit
  bool use_job_duration = false;                    // a job's time limit is that of its machines
  std::string termination_action{};                 // "STOP", "DELETE"; empty: the cloud's default
  long min_run_duration_seconds = 0;                // the least that a request may ask for
};

// How the machines of a job are put close together.
struct Placement {
  int max_distance = 0;         // groupPlacementPolicy.maxDistance; 0: not set
  int machines_per_policy = 1;  // at most; more machines get several policies
  std::string gpu_topology{};   // groupPlacementPolicy.gpuTopology; empty: not set
};

// What to do about maintenance of the hosts.
struct Maintenance {
  std::string interval;        // scheduling.maintenanceInterval; empty: the cloud's default
  bool reservation = false;    // reserve the node in Slurm for the time of its maintenance
  bool opportunistic = false;  // start maintenance early when a node is idle
};

struct Nodes {
  std::string project;
  std::vector<std::string> zones;  // in the order to try them
  std::string instance_template;   // link to it
  std::vector<NetworkStorage> mounts;
  // Compute Engine's locationPolicy.targetShape: ANY_SINGLE_ZONE, ANY or BALANCED
  std::string zone_target_shape = "ANY_SINGLE_ZONE";
  int static_count = 0;   // nodes that are always on: CLUSTER-NODESET-0 and the next ones
  int dynamic_count = 0;  // further nodes
  std::string machine_type{};
  std::optional<Placement> placement{};
  std::vector<Way> buy{};  // tried in this order; empty: as the template says
  std::optional<Maintenance> maintenance{};
  std::string instance_properties{};  // a JSON object for bulkInsert; empty: none
};

// The database of accounting, if it is on another machine.
struct ExternalDatabase {
  std::string secret;  // "projects/P/secrets/S": how to log in, as JSON
  int version = 0;     // of the secret
};

// A second controller, which takes over if the first does not answer.
struct BackupController {
  std::string name, zone;
};

// The file `cluster.json` in the cluster's folder, written after all other files; schema
// docs/schemas/cluster-1.schema.json.
struct ClusterFile {
  std::string cluster;
  std::string controller, controller_project, controller_zone;
  std::optional<BackupController> backup{};
  std::optional<ExternalDatabase> database{};
  // How long the startup script of a role's machines may take; 0: as long as it needs.
  std::map<std::string, long> startup_seconds{};
  std::string monitoring = "none";           // "none", "metrics" or "prometheus"
  bool log_requests = false;                 // the machines' programs log what they ask the cloud
  std::string munge_key;                     // "projects/P/secrets/S"
  std::map<std::string, std::string> files;  // SHA-256 by name in the folder
  std::vector<NetworkStorage> mounts, login_mounts;
  std::map<std::string, Nodes> nodesets;  // by Slurm name
};

// Throws Error with the reason.
ClusterFile parse_cluster_file(const std::string& text);

// The nodeset of a node, from its name ("CLUSTER-NODESET-NUMBER"), or null.
const Nodes* nodeset_of(const ClusterFile& cluster, const std::string& node);

// The machine that has a file system. For NFS, `$controller` and no name are the controller, as in
// Cluster Toolkit.
std::string server_of(const NetworkStorage& storage, const ClusterFile& cluster);

// What this machine mounts of the cluster's storage: a folder before those in it, each once.
std::vector<NetworkStorage> mounts_of(const ClusterFile& cluster, const MachineMetadata& self);

// This machine's node profile: its group's, with its own name and addresses.
NodeProfile own_profile(NodeProfile group, const MachineMetadata& self);

}  // namespace slipway::node
