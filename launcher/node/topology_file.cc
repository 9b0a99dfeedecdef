// Writes Slurm's topology from the places of the machines.
#include "launcher/node/topology_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "common/error.h"
#include "common/file.h"
#include "common/sha256.h"
#include "common/text.h"
#include "launcher/node/machine.h"

namespace slipway::node {
namespace {

namespace fs = std::filesystem;

using NodesOf = std::map<std::string, std::vector<std::string>>;
using Hosts = std::map<std::string, std::string>;

constexpr const char* origin =
    "# Written by `slipway node reconcile` from where the cloud runs the machines: ";
constexpr const char* root_name = "slipway-root";
// Slurm 24.11 refuses names of 64 characters ("must be shorter than 64 chars", fatal). This leaves
// room for ".nodes" and the number of a block.
constexpr size_t longest_name = 52;
// Slurm 25.05 has topology.yaml, and blocks of different sizes.
constexpr SlurmVersion has_yaml = {25, 5, 0};

bool is_place_name(const std::string& part) {
  return !part.empty() && part.size() <= 128 &&
         part.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == part.npos;
}

// The parts of "/CLUSTER/RACK/HOST" without the host; empty if the path says nothing.
std::vector<std::string> places_on(const std::string& path) {
  std::vector<std::string> parts = split(path, '/');
  if (!parts.empty() && parts.front().empty()) parts.erase(parts.begin());
  if (parts.size() < 2 || !std::ranges::all_of(parts, is_place_name)) return {};
  parts.pop_back();
  return parts;
}

std::vector<std::string> places_of(const std::string& node, const Hosts& hosts) {
  const auto found = hosts.find(node);
  return found == hosts.end() ? std::vector<std::string>() : places_on(found->second);
}

// "2f0a.b1c8". The cloud's words have 32 digits each: if they are too many, each is cut, and the
// digest of all tells places apart whose beginnings are the same.
std::string name_of_place(const std::vector<std::string>& places) {
  const std::string whole = join(places, ".");
  if (whole.size() <= longest_name) return whole;
  const std::string digest = sha256(whole).substr(0, 12);
  std::string name;
  for (const std::string& part : places) name += part.substr(0, 8) + ".";
  name += digest;
  return name.size() <= longest_name ? name : digest;
}

// Adds the switch of a place and those above it.
void add_places(const std::vector<std::string>& places, const std::string& node,
                std::map<std::string, Topology::Switch>& switches, std::set<std::string>& highest) {
  std::string name;
  for (auto part = places.begin(); part != places.end(); ++part) {
    const std::string above = std::exchange(name, name_of_place({places.begin(), part + 1}));
    if (switches.try_emplace(name, Topology::Switch{name, {}, {}}).second && !above.empty()) {
      switches.at(above).switches.push_back(name);
    }
    if (above.empty()) highest.insert(name);
  }
  switches.at(name).nodes.push_back(node);
}

// Slurm has no switch with both nodes and switches: such nodes get a switch beside.
void separate_nodes(std::map<std::string, Topology::Switch>& switches) {
  std::vector<Topology::Switch> more;
  for (auto& [name, one] : switches) {
    if (one.nodes.empty() || one.switches.empty()) continue;
    more.push_back({name + ".nodes", {}, std::move(one.nodes)});
    one.switches.push_back(more.back().name);
    one.nodes.clear();
  }
  for (Topology::Switch& one : more) switches.emplace(one.name, one);
}

// "n-12" as ("n-", "12"); without a number, or with one that begins with 0, as ("n-x", "").
std::pair<std::string, std::string> split_number(const std::string& name) {
  const size_t last = name.find_last_not_of("0123456789");
  const size_t digits = last == name.npos ? 0 : last + 1;
  const std::string number = name.substr(digits);
  const bool plain = !number.empty() && number.size() < 10 && (number == "0" || number[0] != '0');
  return plain ? std::pair(name.substr(0, digits), number) : std::pair(name, std::string());
}

std::string ranges(std::vector<int64_t> numbers) {
  std::ranges::sort(numbers);
  std::vector<std::string> out;
  for (size_t i = 0; i < numbers.size();) {
    size_t end = i;
    while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1) ++end;
    out.push_back(end == i ? std::to_string(numbers[i])
                           : fmt::format("{}-{}", numbers[i], numbers[end]));
    i = end + 1;
  }
  return join(out, ",");
}

// The value of KEY=VALUE on its own line, or "".
std::string setting(const std::string& text, std::string_view key) {
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == '=') {
      return std::string(trim(line.substr(key.size() + 1)));
    }
  }
  return {};
}

NodesOf nodes_of(const ClusterFile& cluster) {
  NodesOf nodes;
  for (const auto& [name, nodeset] : cluster.nodesets) {
    const int count = nodeset.static_count + nodeset.dynamic_count;
    for (int i = 0; i < count; ++i) {
      nodes[name].push_back(fmt::format("{}-{}-{}", cluster.cluster, name, i));
    }
  }
  return nodes;
}

// The nodesets in the blocks of the topology that follows from the blueprint: BlockName=NODESET-N.
NodesOf in_blocks(const NodesOf& nodes, const std::string& topology_conf) {
  NodesOf inside;
  for (const auto& [name, all] : nodes) {
    const std::string first = fmt::format("BlockName={}-0 ", name);
    if (topology_conf.find(first) != topology_conf.npos) inside.emplace(name, all);
  }
  return inside;
}

Hosts hosts_from(const fs::path& path) {
  if (!fs::exists(path)) return {};
  const auto json = nlohmann::json::parse(read_file(path), nullptr, false);
  Hosts hosts;
  if (!json.is_object()) return hosts;
  for (const auto& [node, place] : json.items()) {
    if (place.is_string()) hosts[node] = place.get<std::string>();
  }
  return hosts;
}

}  // namespace

std::string hostlist_of(std::vector<std::string> nodes) {
  std::map<std::string, std::vector<int64_t>> numbers;
  std::vector<std::string> out;
  for (const std::string& node : nodes) {
    const auto [prefix, number] = split_number(node);
    if (number.empty()) {
      out.push_back(node);
    } else {
      numbers[prefix].push_back(*to_number<int64_t>(number));
    }
  }
  for (const auto& [prefix, of] : numbers) {
    out.push_back(of.size() == 1 ? fmt::format("{}{}", prefix, of[0])
                                 : fmt::format("{}[{}]", prefix, ranges(of)));
  }
  return join(out, ",");
}

Topology topology_of(const NodesOf& nodesets, const Hosts& hosts) {
  std::map<std::string, Topology::Switch> switches;
  std::set<std::string> highest;
  Topology topology;
  Topology::Switch root{root_name, {}, {}};
  for (const auto& [name, nodes] : nodesets) {
    Topology::Switch elsewhere{name, {}, {}};
    for (const std::string& node : nodes) {
      const std::vector<std::string> places = places_of(node, hosts);
      if (places.empty()) {
        elsewhere.nodes.push_back(node);
      } else {
        add_places(places, node, switches, highest);
      }
    }
    if (elsewhere.nodes.empty()) continue;
    root.switches.push_back(name);
    topology.switches.push_back(std::move(elsewhere));
  }
  separate_nodes(switches);
  for (auto& [name, one] : switches) topology.switches.push_back(std::move(one));
  root.switches.insert(root.switches.end(), highest.begin(), highest.end());
  topology.switches.push_back(std::move(root));
  return topology;
}

std::vector<Block> blocks_of(const NodesOf& nodesets, const Hosts& hosts, size_t size) {
  std::map<std::string, std::vector<std::string>> domains;
  std::vector<Block> blocks;
  const auto cut = [&](const std::string& name, const std::vector<std::string>& nodes) {
    for (size_t first = 0; first < nodes.size(); first += size) {
      const size_t end = std::min(first + size, nodes.size());
      blocks.push_back({nodes.size() <= size ? name : fmt::format("{}-{}", name, first / size),
                        {nodes.begin() + static_cast<std::ptrdiff_t>(first),
                         nodes.begin() + static_cast<std::ptrdiff_t>(end)}});
    }
  };
  for (const auto& [name, nodes] : nodesets) {
    std::vector<std::string> elsewhere;
    for (const std::string& node : nodes) {
      const std::string domain = name_of_place(places_of(node, hosts));
      (domain.empty() ? elsewhere : domains[domain]).push_back(node);
    }
    cut(name, elsewhere);
  }
  for (const auto& [name, nodes] : domains) cut(name, nodes);
  return blocks;
}

bool is_from_machines(const std::string& topology_conf) {
  return topology_conf.starts_with(origin);
}

std::string tree_conf(const Topology& topology) {
  std::string text = fmt::format("{}topology.conf(5).\n", origin);
  for (const Topology::Switch& one : topology.switches) {
    text += fmt::format("SwitchName={}", one.name);
    if (!one.nodes.empty()) text += " Nodes=" + hostlist_of(one.nodes);
    if (!one.switches.empty()) text += " Switches=" + join(one.switches, ",");
    text += "\n";
  }
  return text;
}

std::string block_yaml(const std::vector<Block>& blocks, size_t size) {
  std::string text = fmt::format(
      "{}topology.yaml(5).\n"
      "- topology: default\n"
      "  cluster_default: true\n"
      "  block:\n"
      "    block_sizes:\n"
      "      - {}\n"
      "    blocks:\n",
      origin, size);
  for (const Block& block : blocks) {
    text +=
        fmt::format("      - block: {}\n        nodes: {}\n", block.name, hostlist_of(block.nodes));
  }
  return text;
}

bool update_topology(const ClusterFile& cluster, const SlurmVersion& slurm,
                     const TopologyPlaces& places) {
  const Hosts hosts = hosts_from(places.hosts);
  if (hosts.empty()) return false;
  const std::string plugin =
      setting(read_file(places.configuration / "slurm.conf"), "TopologyPlugin");
  const fs::path conf = places.configuration / "topology.conf";
  const NodesOf nodes = nodes_of(cluster);
  if (plugin == "topology/tree") return write_changed(conf, tree_conf(topology_of(nodes, hosts)));
  if (plugin != "topology/block" || slurm < has_yaml) return false;
  const std::string from_blueprint = read_file(conf);
  const auto size = to_number<int64_t>(setting(from_blueprint, "BlockSizes"));
  if (!size || *size < 1) return false;
  const auto blocks =
      blocks_of(in_blocks(nodes, from_blueprint), hosts, static_cast<size_t>(*size));
  return write_changed(places.configuration / "topology.yaml",
                       block_yaml(blocks, static_cast<size_t>(*size)));
}

}  // namespace slipway::node
