// Builds the node profile of each node.
#include "launcher/cluster/node_profiles.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/error.h"
#include "launcher/cluster/substitution.h"

namespace slipway::cluster {
namespace {

const Network& network_of(const Cluster& cluster, const std::string& id) {
  const auto found = std::ranges::find(cluster.networks, id, &Network::id);
  if (found == cluster.networks.end()) throw Error(fmt::format("there is no network `{}`", id));
  return *found;
}

void check_networks(const Node& node, const MachineType& machine, const ProfileSite& site) {
  const size_t networks = node.machine.networks.size();
  if (networks == 0) throw Error("it has no network");
  if (networks > machine.most_networks()) {
    throw Error(
        fmt::format("it has {} networks, but its machine type `{}` has interfaces for only {}",
                    networks, machine.name, machine.most_networks()));
  }
  if (!site.addresses.empty() && site.addresses.size() != networks) {
    throw Error(fmt::format("its numbers of networks and addresses differ: {} and {}", networks,
                            site.addresses.size()));
  }
}

std::vector<NodeProfile::Interface> attach(const Node& node, const Cluster& cluster,
                                           const MachineType& machine, const ProfileSite& site) {
  std::vector<NodeProfile::Interface> interfaces;
  for (size_t i = 0; i < node.machine.networks.size(); ++i) {
    const Network& network = network_of(cluster, node.machine.networks[i]);
    const MachineType::Nic nic = machine.nic(i);
    interfaces.push_back({nic.name, nic.purpose, network.name,
                          site.addresses.empty() ? "" : site.addresses[i],
                          network.mtu_bytes > 0 ? network.mtu_bytes : nic.mtu_bytes});
  }
  return interfaces;
}

const TransportType& choose_transport(const MachineType& machine, size_t attached,
                                      const Catalogue& catalogue, const ProfileSite& site) {
  // Interfaces are used in order, so equal counts mean that all of them have a network.
  const TransportType& own = catalogue.transport(machine.transport);
  const bool usable = attached >= machine.nics.size() && own.places.contains(site.target) &&
                      !own.environment.empty();
  return usable ? own : catalogue.transport("socket");
}

}  // namespace

NodeTransport fill_in(const TransportType& type,
                      const std::vector<NodeProfile::Interface>& interfaces) {
  NodeTransport transport = type.node;
  transport.name = type.name;
  for (const TransportType::Rule& rule : type.environment) {
    transport.environment.push_back({rule.name, rule.value, rule.why});
  }
  for (auto* variables :
       {&transport.environment, &transport.single_node, &transport.without_profile}) {
    for (NodeTransport::Variable& variable : *variables) {
      variable.value = substitute(variable.value, interfaces);
    }
  }
  for (auto& [name, value] : transport.vendor_profile.inputs) value = substitute(value, interfaces);
  return transport;
}

namespace {

NodeProfile make_profile(const Node& node, const Cluster& cluster, const Catalogue& catalogue,
                         const ProfileSite& site) {
  const MachineType& machine = catalogue.machine(node.machine.machine_type);
  check_networks(node, machine, site);

  NodeProfile profile;
  profile.deployment = cluster.deployment;
  profile.cluster = cluster.name;
  profile.node = node.name;
  profile.role = node.role;
  profile.target = site.target;
  profile.machine_type = machine.name;
  profile.gpus = {machine.gpu_count, machine.gpu_model, {}};
  for (int64_t i = 0; i < machine.gpu_count; ++i) {
    profile.gpus.devices.push_back(fmt::format("/dev/nvidia{}", i));
  }
  profile.network_interfaces = attach(node, cluster, machine, site);
  for (const MountedFileSystem& mounted : node.machine.file_systems) {
    profile.mounts.push_back(mounted.mount);
  }
  profile.transport =
      fill_in(choose_transport(machine, profile.network_interfaces.size(), catalogue, site),
              profile.network_interfaces);
  for (const auto& [daemon, places] : machine.daemons) {
    if (places.contains(site.target) && node.role == "compute") profile.daemons.push_back(daemon);
  }
  for (const BandwidthControl& control : catalogue.bandwidth_controls) {
    const bool applies = control.target == site.target && node.role == "compute";
    if (applies) profile.bandwidth_control = control.control;
  }
  // Simulated machines do not have the real speed of their type.
  if (site.target != "local" && node.role == "compute") {
    for (const ExpectedFigure& figure : catalogue.bandwidth) {
      if (figure.machine == machine.name) profile.expected_bandwidth.push_back(figure.expected);
    }
  }
  return profile;
}

}  // namespace

NodeProfile profile_of(const Node& node, const Cluster& cluster, const Catalogue& catalogue,
                       const ProfileSite& site) {
  try {
    return make_profile(node, cluster, catalogue, site);
  } catch (const Error& error) {
    throw error.within(fmt::format("cannot describe node `{}`", node.name));
  }
}

}  // namespace slipway::cluster
