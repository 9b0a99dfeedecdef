// Makes the plan of a local cluster from the cluster model.
#include "launcher/local/plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "common/error.h"
#include "launcher/cluster/accounting.h"
#include "launcher/cluster/node_profiles.h"
#include "launcher/cluster/slurm_conf.h"
#include "launcher/cluster/slurm_site.h"
#include "launcher/cluster/transport_files.h"
#include "launcher/health/policy.h"
#include "launcher/local/subnet.h"

namespace slipway::local {
namespace {

// Assigns addresses in each network, and the bridge that represents it. Existing nodes and networks
// keep theirs.
class Networks {
 public:
  Networks(const std::vector<cluster::Network>& networks, const Plan* current) : current_(current) {
    for (const cluster::Network& network : networks) {
      // A network that only the cloud defines gets a range that no blueprint uses: carrier-grade
      // NAT's (RFC 6598).
      const std::string cidr =
          network.cidr.empty() ? fmt::format("100.{}.0.0/16", 64 + rows_.size()) : network.cidr;
      rows_.push_back({network.id, network.name, Subnet::parse(cidr), 0, {}});
    }
    if (current_ == nullptr) return;
    for (const PlannedNode& node : current_->nodes) {
      for (const Port& port : node.ports) {
        const auto row = std::ranges::find(rows_, network_of(port), &Row::name);
        if (row != rows_.end()) row->taken.insert(port.address);
      }
    }
  }

  size_t index_of(const std::string& id) const {
    const auto row = std::ranges::find(rows_, id, &Row::id);
    if (row == rows_.end()) throw Error(fmt::format("there is no network `{}`", id));
    return static_cast<size_t>(row - rows_.begin());
  }

  std::vector<Bridge> bridges(const std::vector<cluster::Network>& networks) const {
    std::vector<Bridge> bridges;
    std::set<std::string> taken;
    if (current_ != nullptr) {
      for (const Bridge& bridge : current_->bridges) taken.insert(bridge.name);
    }
    for (size_t i = 0; i < networks.size(); ++i) {
      std::string name = standing_bridge(networks[i].name);
      for (size_t n = 0; name.empty(); ++n) {
        if (taken.insert(fmt::format("vpc{}", n)).second) name = fmt::format("vpc{}", n);
      }
      bridges.push_back({name, networks[i].name, rows_[i].subnet.gateway(), networks[i].mtu_bytes});
    }
    return bridges;
  }

  // The address of a node's interface in a network.
  std::string address(size_t index, const std::string& node, size_t interface) {
    Row& row = rows_[index];
    const PlannedNode* before = standing_node(node);
    if (before != nullptr && interface < before->ports.size() &&
        network_of(before->ports[interface]) == row.name) {
      return before->ports[interface].address;
    }
    std::string address = row.subnet.address(row.given++);
    while (row.taken.contains(address)) address = row.subnet.address(row.given++);
    return address;
  }

  // The slot of a node: the one it has, or the first free one.
  size_t slot(const std::string& node) {
    if (const PlannedNode* before = standing_node(node)) return before->slot;
    const auto is_taken = [&](size_t slot) {
      return current_ != nullptr &&
             std::ranges::find(current_->nodes, slot, &PlannedNode::slot) != current_->nodes.end();
    };
    while (is_taken(next_slot_)) ++next_slot_;
    return next_slot_++;
  }

 private:
  struct Row {
    std::string id, name;
    Subnet subnet;
    uint32_t given;
    std::set<std::string> taken;  // addresses of existing nodes
  };

  const PlannedNode* standing_node(const std::string& name) const {
    if (current_ == nullptr) return nullptr;
    const auto found = std::ranges::find(current_->nodes, name, &PlannedNode::name);
    return found == current_->nodes.end() ? nullptr : &*found;
  }

  std::string standing_bridge(const std::string& network) const {
    if (current_ == nullptr) return "";
    const auto found = std::ranges::find(current_->bridges, network, &Bridge::network);
    return found == current_->bridges.end() ? "" : found->name;
  }

  const std::string& network_of(const Port& port) const {
    return current_->bridges.at(port.bridge).network;
  }

  const Plan* current_;
  std::vector<Row> rows_;
  size_t next_slot_ = 0;
};

std::vector<Mount> mounts_of(const cluster::Node& node, const cluster::Cluster& cluster) {
  std::vector<Mount> mounts;
  for (const cluster::MountedFileSystem& mounted : node.machine.file_systems) {
    const auto found =
        std::ranges::find(cluster.file_systems, mounted.id, &cluster::FileSystem::id);
    if (found == cluster.file_systems.end()) {
      throw Error(fmt::format("there is no file system `{}`", mounted.id));
    }
    mounts.push_back({mounted.id, mounted.mount});
  }
  std::ranges::sort(mounts, {}, &Mount::target);  // "/a" before "/a/b"
  return mounts;
}

// A node's name resolves to its first address, and so does the controller's, but networks are not
// routed to each other.
void require_same_first_network(const cluster::Node& node, const cluster::Cluster& cluster) {
  const std::string& controllers = cluster.controller.machine.networks.at(0);
  const std::string& first = node.machine.networks.at(0);
  if (first == controllers) return;
  throw Error(fmt::format(
      "{} has `{}` as its first network, the controller has `{}`: they cannot reach each other",
      node.name, first, controllers));
}

PlannedNode plan_node(const cluster::Node& node, const cluster::Cluster& cluster,
                      const cluster::Catalogue& catalogue, Networks& networks, bool with_profiles) {
  PlannedNode planned{node.name, node.role,     node.machine.machine_type, {}, {}, {},
                      {},        node.on_demand};
  cluster::ProfileSite site{"local", {}};
  planned.slot = networks.slot(node.name);
  for (const std::string& id : node.machine.networks) {
    site.addresses.push_back(
        networks.address(networks.index_of(id), node.name, site.addresses.size()));
  }
  const NodeProfile profile = cluster::profile_of(node, cluster, catalogue, site);
  require_same_first_network(node, cluster);
  for (size_t i = 0; i < profile.network_interfaces.size(); ++i) {
    const NodeProfile::Interface& nic = profile.network_interfaces[i];
    planned.ports.push_back(
        {nic.name, nic.address, nic.mtu_bytes, networks.index_of(node.machine.networks[i])});
  }
  planned.mounts = mounts_of(node, cluster);
  planned.gpu_devices = profile.gpus.devices;
  if (with_profiles) planned.node_json = to_json(profile);
  return planned;
}

// Here, nodes are started only by us, and none join by themselves.
std::map<std::string, std::string> slurm_files_of(cluster::Cluster cluster,
                                                  const cluster::Catalogue& catalogue,
                                                  const cluster::SlurmSite& site) {
  for (cluster::Nodeset& nodeset : cluster.nodesets) nodeset.feature.clear();
  return cluster::slurm_files(cluster, catalogue, site);
}

std::map<std::string, MachineFiles> machine_files_of(const std::vector<PlannedNode>& nodes,
                                                     const cluster::Catalogue& catalogue) {
  std::map<std::string, MachineFiles> all;
  for (const PlannedNode& node : nodes) {
    if (node.role != "compute" || all.contains(node.machine_type)) continue;
    const auto files = cluster::transport_files(catalogue.machine(node.machine_type), catalogue);
    for (const auto& [path, text] : files) all[node.machine_type][path.native()] = text;
  }
  return all;
}

void require_room_in_bridges(const Plan& plan) {
  constexpr std::ptrdiff_t most = 1023;  // BR_MAX_PORTS of Linux, of which one is not used
  for (size_t i = 0; i < plan.bridges.size(); ++i) {
    std::ptrdiff_t ports = 0;
    for (const PlannedNode& node : plan.nodes)
      ports += std::ranges::count(node.ports, i, &Port::bridge);
    if (ports <= most) continue;
    throw Error(
        fmt::format("network `{}` has {} interfaces, and a network on this machine has room for {}",
                    plan.bridges[i].network, ports, most));
  }
}

// The first address of each node, which its name resolves to.
std::string hosts_text(const std::vector<PlannedNode>& nodes) {
  std::string text = "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n";
  for (const PlannedNode& node : nodes) {
    const std::string& address = node.ports.front().address;
    text += fmt::format("{} {}\n", address.substr(0, address.find('/')), node.name);
  }
  return text;
}

Plan plan_for(const cluster::Cluster& cluster, const cluster::Catalogue& catalogue,
              const Plan* current, const node::InstalledSlurm& slurm, bool with_profiles) {
  Plan plan;
  plan.deployment = cluster.deployment;
  plan.cluster = cluster.name;
  Networks networks(cluster.networks, current);
  plan.bridges = networks.bridges(cluster.networks);
  for (const cluster::FileSystem& fs : cluster.file_systems) plan.shared.push_back(fs.id);
  std::vector<cluster::Node> machines = cluster::nodes(cluster);
  std::ranges::move(cluster::dynamic_nodes(cluster), std::back_inserter(machines));
  for (const cluster::Node& node : machines) {
    plan.nodes.push_back(plan_node(node, cluster, catalogue, networks, with_profiles));
  }
  for (const PlannedNode& node : plan.nodes) {
    // A bridge drops frames that are larger than its own MTU.
    for (const Port& port : node.ports) {
      int64_t& mtu = plan.bridges[port.bridge].mtu_bytes;
      mtu = std::max(mtu, port.mtu_bytes);
    }
  }
  require_room_in_bridges(plan);
  cluster::SlurmSite site =
      cluster::local_slurm_site(plan.elastic(), plan.nodes.size(), slurm.version);
  site.has_pmix = slurm.has_pmix;
  if (cluster.controller.accounting) {
    const auto more = cluster::accounting_settings(cluster, "jobacct_gather/linux");
    site.settings.insert(site.settings.end(), more.begin(), more.end());
    plan.slurmdbd_conf = cluster::slurmdbd_conf(cluster, site);
  }
  plan.slurm_files = slurm_files_of(cluster, catalogue, site);
  plan.monitoring = cluster.controller.monitoring;
  plan.tells = health::policy_tells(cluster.controller.health_policy);
  plan.admits = health::policy_checks_deeply(cluster.controller.health_policy);
  plan.hosts = hosts_text(plan.nodes);
  plan.machine_files = machine_files_of(plan.nodes, catalogue);
  return plan;
}

}  // namespace

Plan make_plan(const cluster::Cluster& cluster, const cluster::Catalogue& catalogue,
               const Plan* current, const node::InstalledSlurm& slurm) {
  return plan_for(cluster, catalogue, current, slurm, true);
}

void require_plan(const cluster::Cluster& cluster, const cluster::Catalogue& catalogue) {
  plan_for(cluster, catalogue, nullptr, {}, false);
}

nlohmann::json describe(const Plan& plan) {
  nlohmann::json nodes = nlohmann::json::array();
  for (const PlannedNode& node : plan.nodes) {
    nodes.push_back({{"name", node.name},
                     {"role", node.role},
                     {"machine_type", node.machine_type},
                     {"address", node.ports.front().address},
                     {"image", node.image}});
  }
  return {{"schema", "slipway/local/1"},
          {"deployment", plan.deployment},
          {"cluster", plan.cluster},
          {"nodes", std::move(nodes)}};
}

}  // namespace slipway::local
