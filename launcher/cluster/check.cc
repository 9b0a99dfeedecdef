// Checks that the parts of a cluster fit together.
#include "launcher/cluster/check.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "common/error.h"
#include "launcher/blueprint/storage_check.h"
#include "launcher/cluster/hardware.h"
#include "launcher/cluster/model_part.h"
#include "launcher/cluster/slurm_line_check.h"
#include "launcher/cluster/slurm_nodes.h"
#include "launcher/expression/ipv4.h"

namespace slipway::cluster {
namespace {

using expression::Ipv4Range;
using source::Code;
using source::Span;

// Addresses that the cloud reserves in a subnetwork: the network's, the gateway's, the
// second-to-last, and the broadcast address.
// https://cloud.google.com/vpc/docs/subnets#unusable-ip-addresses-in-every-subnet
constexpr int64_t kept_addresses = 4;

class Check {
 public:
  Check(const Cluster& cluster, const blueprint::Deployment& deployment,
        const NetworkOrigins& origins, const Catalogue& catalogue, source::Diagnostics& diagnostics)
      : cluster_(cluster),
        deployment_(deployment),
        origins_(origins),
        catalogue_(catalogue),
        diagnostics_(diagnostics) {}

  void run() {
    ranges();
    mounts();
    check_slurm_lines(cluster_, deployment_, catalogue_, diagnostics_);
    for (const Nodeset& nodeset : cluster_.nodesets) processors(nodeset);
    default_partition();
    if (diagnostics_.errors() > 0) return;
    compute_nodes();
    room();
    interfaces(cluster_.controller.id, cluster_.controller.machine);
    for (const Login& login : cluster_.logins) interfaces(login.id, login.machine);
    for (const Nodeset& nodeset : cluster_.nodesets) interfaces(nodeset.id, nodeset.machine);
    for (const Nodeset& nodeset : cluster_.nodesets) node_line(nodeset);
  }

 private:
  Span place(const std::string& id, std::string_view input, std::string_view key = {}) const {
    // A module's id, to which that of a part adds something.
    return place_of(*deployment_.find(id.substr(0, id.find_first_of("[/"))).module, input, key);
  }

  Span range_of(const Network& network) const {
    const NetworkOrigin& origin = origins_.at(network.id);
    return place(origin.module, origin.input);
  }

  // Whether a machine or a VPC has both networks. Others may use the same addresses.
  bool can_meet(const std::string& one, const std::string& other) const {
    const auto in_both = [&](const MachineSpec& machine) {
      const auto has = [&](const std::string& id) {
        return std::ranges::find(machine.networks, id) != machine.networks.end();
      };
      return has(one) && has(other);
    };
    const auto member = [&](const auto& machines) { return in_both(machines.machine); };
    return origins_.at(one).module == origins_.at(other).module ||
           in_both(cluster_.controller.machine) || std::ranges::any_of(cluster_.logins, member) ||
           std::ranges::any_of(cluster_.nodesets, member);
  }

  void ranges() {
    std::vector<std::pair<const Network*, Ipv4Range>> seen;
    for (const Network& network : cluster_.networks) {
      if (network.cidr.empty()) continue;
      const Span here = range_of(network);
      const auto range = expression::parse_ipv4_range(network.cidr);
      if (!range || !expression::is_usable_network(*range)) {
        if (diagnostics_.errors() > 0) continue;
        diagnostics_.error(Code::no_model, here,
                           fmt::format("module `{}`: `{}` is not an IPv4 range such as 10.0.0.0/16",
                                       network.id, network.cidr));
        continue;
      }
      for (const auto& [other, taken] : seen) {
        if (!overlap(*range, taken) || !can_meet(network.id, other->id)) continue;
        diagnostics_
            .error(Code::no_model, here,
                   fmt::format("the networks `{}` ({}) and `{}` ({}) overlap", other->id,
                               other->cidr, network.id, network.cidr))
            .other(range_of(*other), "declared here")
            .help(fmt::format("set `{}` of one of them", origins_.at(network.id).input));
      }
      seen.emplace_back(&network, *range);
    }
  }

  void mounts() {
    for (const FileSystem& file_system : cluster_.file_systems) {
      if (file_system.mount.empty() && diagnostics_.errors() > 0) continue;
      const std::string problem = blueprint::mount_problem(file_system.mount);
      if (problem.empty()) continue;
      diagnostics_.error(Code::no_model, place(file_system.id, "local_mount"),
                         fmt::format("module `{}`: {}", file_system.id, problem));
    }
    mounts_of(cluster_.controller.id, cluster_.controller.machine);
    for (const Nodeset& nodeset : cluster_.nodesets) mounts_of(nodeset.id, nodeset.machine);
    for (const Login& login : cluster_.logins) mounts_of(login.id, login.machine);
  }

  // In the blueprint's order of file systems, so that the second of two at one place is reported.
  void mounts_of(const std::string& id, const MachineSpec& machine) {
    std::map<std::string, std::string> seen;
    for (const FileSystem& file_system : cluster_.file_systems) {
      for (const MountedFileSystem& mounted : machine.file_systems) {
        if (mounted.id != file_system.id || mounted.mount.empty()) continue;
        written_mount(id, mounted);
        const auto [first, fresh] = seen.emplace(mounted.mount, mounted.id);
        if (!fresh) two_at_one_place(id, first->second, mounted);
      }
    }
  }

  void two_at_one_place(const std::string& id, const std::string& first,
                        const MountedFileSystem& second) {
    const std::vector<Span> written = written_for(id, second.mount);
    if (written.size() > 1) return;  // within one setting, which has been reported
    const bool first_is_written = !written.empty() && mount_of(first) != second.mount;
    const Span there = place(first_is_written ? second.id : first, "local_mount");
    const Span here = written.empty() ? place(second.id, "local_mount") : written.front();
    diagnostics_
        .error(Code::two_of_one_name, here,
               fmt::format("the file systems `{}` and `{}` are both mounted at `{}`", first,
                           second.id, second.mount))
        .other(here == there ? Span() : there, written.empty() ? "the first" : "the other one");
  }

  // A mount point that the settings of the machine write for it.
  void written_mount(const std::string& id, const MountedFileSystem& mounted) {
    if (mounted.mount == mount_of(mounted.id)) return;
    const std::string problem = blueprint::mount_problem(mounted.mount);
    if (problem.empty() || !blueprint::path_problem(mounted.mount).empty()) return;
    const std::vector<Span> written = written_for(id, mounted.mount);
    diagnostics_.error(Code::no_model,
                       written.empty() ? place(id, "network_storage") : written.front(),
                       fmt::format("module `{}`: {}", id, problem));
  }

  const std::string& mount_of(const std::string& id) const {
    return std::ranges::find(cluster_.file_systems, id, &FileSystem::id)->mount;
  }

  // Where the settings of a machine write a mount point.
  std::vector<Span> written_for(const std::string& id, const std::string& mount) const {
    for (const std::string& module : {id, cluster_.controller.id}) {
      const blueprint::Module* found = deployment_.find(module).module;
      if (found == nullptr) continue;  // there is no controller
      for (const std::string_view setting : {"network_storage", "login_network_storage"}) {
        std::vector<Span> places = blueprint::written_mounts(*found, deployment_, setting, mount);
        if (!places.empty()) return places;
      }
    }
    return {};
  }

  void default_partition() {
    const Partition* first = nullptr;
    for (const Partition& partition : cluster_.partitions) {
      if (!partition.is_default) continue;
      if (first == nullptr) {
        first = &partition;
        continue;
      }
      diagnostics_
          .error(Code::two_of_one_name, place(partition.id, "is_default"),
                 fmt::format("the partitions `{}` and `{}` are both the default", first->name,
                             partition.name))
          .other(place(first->id, "is_default"), "the first")
          .help(
              "jobs without `--partition` go to one partition: leave `is_default` out in the "
              "others");
    }
  }

  void processors(const Nodeset& nodeset) {
    const MachineType* type = catalogue_.find_machine(nodeset.machine.machine_type);
    const std::string problem = type == nullptr ? "" : hardware_problem(*type, nodeset.machine);
    if (problem.empty()) return;
    diagnostics_.error(Code::no_model, place(nodeset.id, "advanced_machine_features"),
                       fmt::format("module `{}`: {}", nodeset.id, problem));
  }

  // Problems that only the complete line shows: numbers, and GPUs that the machine does not have.
  void node_line(const Nodeset& nodeset) {
    const MachineType* type = catalogue_.find_machine(nodeset.machine.machine_type);
    if (!nodeset.feature.empty() && type != nullptr && type->gpu_count > 0) {
      diagnostics_
          .error(Code::no_model, place(nodeset.id, "machine_type"),
                 "nodes that register themselves cannot have GPUs")
          .help("gres.conf names devices by node: use a nodeset with numbered nodes");
    }
    try {
      nodeset_lines(cluster_, nodeset, catalogue_, SlurmSite());
    } catch (const Error& error) {
      const std::string message = error.what();
      const auto named = std::ranges::find_if(nodeset.node_conf, [&](const auto& entry) {
        return message.find(fmt::format("`{}`", entry.first)) != message.npos;
      });
      const std::string key = named == nodeset.node_conf.end() ? "" : named->first;
      diagnostics_.error(Code::no_model, place(nodeset.id, "node_conf", key), message);
    }
  }

  void compute_nodes() {
    for (const Nodeset& nodeset : cluster_.nodesets) {
      if (nodeset.node_count_static + nodeset.node_count_dynamic_max > 0) return;
      if (!nodeset.feature.empty()) return;
    }
    const Span here =
        !cluster_.nodesets.empty()     ? place(cluster_.nodesets[0].id, "node_count_static")
        : !cluster_.partitions.empty() ? deployment_.find(cluster_.partitions[0].id).module->id_span
                                       : deployment_.find(cluster_.controller.id).module->id_span;
    diagnostics_.error(Code::partition_without_nodeset, here, "the cluster has no compute node");
  }

  // Machines that are always there have to fit; jobs cannot start nodes for which there is no
  // address.
  void room() {
    std::map<std::string, int64_t> machines, on_demand;  // by network id
    const auto add = [&](const MachineSpec& machine, int64_t count) {
      for (const std::string& network : machine.networks) machines[network] += count;
    };
    add(cluster_.controller.machine, 1);
    for (const Login& login : cluster_.logins) add(login.machine, login.count);
    for (const Nodeset& nodeset : cluster_.nodesets) {
      add(nodeset.machine, nodeset.node_count_static);
      for (const std::string& network : nodeset.machine.networks) {
        on_demand[network] += nodeset.node_count_dynamic_max;
      }
    }
    for (const Network& network : cluster_.networks) {
      if (network.cidr.empty()) continue;
      const auto range = expression::parse_ipv4_range(network.cidr);
      const int64_t free = (int64_t{1} << (32 - range->prefix)) - kept_addresses;
      const int64_t always = machines[network.id], most = always + on_demand[network.id];
      if (most <= free || most == 0) continue;
      const bool fits = always <= free;
      const auto largest = std::ranges::max_element(cluster_.nodesets, {}, [&](const Nodeset& n) {
        const bool here =
            std::ranges::find(n.machine.networks, network.id) != n.machine.networks.end();
        return here ? fits ? n.node_count_dynamic_max : n.node_count_static : -1;
      });
      auto& said =
          fits ? diagnostics_.warning(
                     Code::rule_broken, place(largest->id, "node_count_dynamic_max"),
                     fmt::format("the network `{}` ({}) has room for {} machines, but jobs can "
                                 "start nodes until the cluster has {} in it",
                                 network.id, network.cidr, std::max<int64_t>(0, free), most))
               : diagnostics_.error(
                     Code::no_model, place(largest->id, "node_count_static"),
                     fmt::format("the network `{}` ({}) has room for {} machines, but the cluster "
                                 "has {} in it",
                                 network.id, network.cidr, std::max<int64_t>(0, free), always));
      said.other(range_of(network), "declared here")
          .help("use more of the range, or a larger range");
    }
  }

  void interfaces(const std::string& id, const MachineSpec& spec) {
    const MachineType* machine = catalogue_.find_machine(spec.machine_type);
    if (machine == nullptr) return;
    const size_t networks = spec.networks.size();
    const size_t most = machine->most_networks();
    if (networks > most) {
      diagnostics_.error(
          Code::too_many_networks, place(id, "additional_networks"),
          fmt::format("module `{}` has {} networks, but a `{}` has only {} interfaces", id,
                      networks, machine->name, most));
    } else if (networks > 1) {
      warn_missing_networks(*machine, networks, place(id, "additional_networks"), diagnostics_);
    }
  }

  const Cluster& cluster_;
  const blueprint::Deployment& deployment_;
  const NetworkOrigins& origins_;
  const Catalogue& catalogue_;
  source::Diagnostics& diagnostics_;
};

}  // namespace

void warn_missing_networks(const MachineType& machine, size_t networks, Span place,
                           source::Diagnostics& diagnostics) {
  const size_t interfaces = machine.nics.size();
  if (networks >= interfaces || machine.transport == "socket") return;
  diagnostics
      .warning(Code::gpu_interfaces_without_network, place,
               fmt::format("{} of the {} network interfaces of a `{}` have no network: NCCL falls "
                           "back to sockets",
                           interfaces - networks, interfaces, machine.name))
      .help("`use` modules/network/multivpc or modules/network/gpu-rdma-vpc for them");
}

void check(const Cluster& cluster, const blueprint::Deployment& deployment,
           const NetworkOrigins& origins, const Catalogue& catalogue,
           source::Diagnostics& diagnostics) {
  Check(cluster, deployment, origins, catalogue, diagnostics).run();
}

}  // namespace slipway::cluster
