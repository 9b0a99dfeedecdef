// A simulated cluster: nodes and links with their speeds, from a YAML file.
//
//   nodes: 16               # node-0 to node-15
//   ranks_per_node: 1
//   gb_per_s: 25            # between two nodes, GB = 1e9 bytes
//   inside_gb_per_s: 250    # between ranks of one node
//   latency_us: 10
//   noise: 0.05             # standard deviation of a run's time, relative to it
//   seed: 1
//   memory: gpu             # or host: which expected figures apply
//   transport: NET/Socket   # the transport that reports name
//   block_size: 8           # nodes under one switch
//   slow_nodes: {node-3: 0.8}
//   slow_senders: {node-4: 0.5}  # only what it sends to other nodes is slow
//   slow_links: [{between: [node-1, node-2], factor: 0.5}]
//   slow_blocks: {0: 0.5}   # the uplink of a block
//   dead: [node-5]
//
// Only `nodes` and `gb_per_s` are required.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace slipway::bandwidth {

struct SimWorld {
  int nodes = 2;
  int ranks_per_node = 1;
  double gb_per_s = 0;
  double inside_gb_per_s = 0;  // 0: ten times gb_per_s
  double latency_us = 10;
  double noise = 0;
  uint64_t seed = 1;
  std::string memory = "host";
  std::string transport = "simulated";
  int block_size = 0;  // 0: one switch for all
  std::map<int, double> slow_nodes;
  std::map<int, double> slow_senders;
  std::map<std::pair<int, int>, double> slow_links;  // the lower node first
  std::map<int, double> slow_blocks;
  std::set<int> dead;

  static std::string name_of(int node);
  int block_of(int node) const { return block_size == 0 ? 0 : node / block_size; }

  // GB/s from one node to another, or inside one.
  double speed(int from, int to) const;

  // The factor for the time of run `run` of stream `stream`: 1 plus noise, which is the same for
  // the same seed on every machine.
  double noise_of(uint64_t stream, uint64_t run) const;
};

// Reads a world. Throws an Error with the text of every diagnostic if the file is wrong.
SimWorld load_sim_world(const std::filesystem::path& path);

}  // namespace slipway::bandwidth
