// What a machine on Google Cloud is told: by the metadata server about itself, by the cluster's
// folder in the bucket about the cluster.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/node_profile.h"

namespace slipway::node {

// A network interface as the cloud has it.
struct CloudInterface {
  std::string mac;      // "42:01:0a:00:00:02"
  std::string address;  // with prefix length, "10.0.0.2/16"
};

struct Myself {
  std::string name;            // of the machine, and Slurm's NodeName
  std::string zone;            // "us-central1-a"
  std::string cluster;         // Slurm's ClusterName
  std::string role;            // "controller", "login" or "compute"
  std::string group;           // id of the module that it was made by
  std::string bucket, folder;  // where the cluster's files are
  std::string node_conf;       // what slurmd tells slurmctld of the node; empty: slurm.conf has it
  std::vector<std::string>
      metadata_users;  // who may reach the metadata server besides root; "*": everybody
  std::vector<CloudInterface> interfaces;
};

// Of the metadata server's tree `instance`. Throws Error when something is not there or no machine
// of a cluster has it: another machine has started from this image.
Myself read_myself(const nlohmann::json& instance);

// A file system to be mounted, as blueprints have it.
struct NetworkStorage {
  std::string server, remote, local, type, options;
};

struct Nodes {
  std::string project;
  std::vector<std::string> zones;  // to be tried in this order
  std::string instance_template;   // link to it
  std::vector<NetworkStorage> mounts;
};

// The file `cluster.json` in the cluster's folder, written when all others are there; schema
// docs/schemas/cluster-1.schema.json.
struct ClusterFile {
  std::string cluster;
  std::string controller, controller_project, controller_zone;
  std::string munge_key;                     // "projects/P/secrets/S"
  std::map<std::string, std::string> files;  // name in the folder and SHA-256
  std::vector<NetworkStorage> mounts, login_mounts;
  std::map<std::string, Nodes> nodesets;  // by Slurm's name
};

// Throws Error with what is wrong.
ClusterFile parse_cluster_file(const std::string& text);

// The nodeset of a node, by its name ("CLUSTER-NODESET-NUMBER"), or null.
const Nodes* nodeset_of(const ClusterFile& cluster, const std::string& node);

// Of all that the cluster was told, what a machine mounts: a folder before those in it, each once.
std::vector<NetworkStorage> mounts_of(const ClusterFile& cluster, const Myself& self);

// The node profile of this machine: that of its group with its own name and addresses.
NodeProfile own_profile(NodeProfile group, const Myself& self);

}  // namespace slipway::node
