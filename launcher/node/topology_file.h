// Slurm's topology from where the machines are: the controller replaces the one that follows from
// the blueprint once the cloud has told the machines' places.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/slurm_version.h"
#include "launcher/node/metadata.h"

namespace slipway::node {

// The nodes that are close to each other, and what is close to what.
struct Topology {
  struct Switch {
    std::string name;                   // "gpu", "2f0a", "2f0a.b1c8"
    std::vector<std::string> switches;  // below it
    std::vector<std::string> nodes;     // or on it
  };
  std::vector<Switch> switches;  // one without switches above it comes last: the root
};

// A switch for each place that a node's path names except its last part, the host
// ("/CLUSTER/RACK/HOST" or deeper), and one for each nodeset's nodes without a path. `nodesets` has
// all nodes by nodeset; paths of other nodes, and paths that are not words between slashes, are
// ignored.
Topology topology_of(const std::map<std::string, std::vector<std::string>>& nodesets,
                     const std::map<std::string, std::string>& hosts);

// Machines that share an NVLink domain, which is what their path names except the host.
struct Block {
  std::string name;
  std::vector<std::string> nodes;
};

// Blocks of at most `size` nodes. Nodes without a path are in blocks with the next ones of their
// nodeset: they are put into a domain together.
std::vector<Block> blocks_of(const std::map<std::string, std::vector<std::string>>& nodesets,
                             const std::map<std::string, std::string>& hosts, size_t size);

// The files' text: topology.conf(5), and topology.yaml(5) of Slurm 25.05 and newer, which may have
// blocks of different sizes.
std::string tree_conf(const Topology& topology);
std::string block_yaml(const std::vector<Block>& blocks, size_t size);

// Whether tree_conf() wrote this text: it then replaces the file of the blueprint, which differs.
bool is_from_machines(const std::string& topology_conf);

// "n-[0-3,7],m-1": nodes whose names differ in their last number are a range.
std::string hostlist_of(std::vector<std::string> nodes);

// What a controller knows of its Slurm; tests use their own.
struct TopologyPlaces {
  std::filesystem::path configuration = "/etc/slurm";
  std::filesystem::path hosts = "/var/lib/slipway/physical-hosts.json";
};

// Writes Slurm's topology for the nodes of the cluster's nodesets and the recorded hosts. Returns
// true if it changed, so that slurmctld has to read it (`scontrol reconfigure`). Does nothing
// without recorded hosts, if slurm.conf has another TopologyPlugin than tree and block, or if
// blocks must all have the same size: topology/block of Slurm before 25.05. Throws Error.
bool update_topology(const ClusterFile& cluster, const SlurmVersion& slurm,
                     const TopologyPlaces& places = {});

}  // namespace slipway::node
